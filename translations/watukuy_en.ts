<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_GB" sourcelanguage="en_GB">
<context>
    <name>watukuy::ui::Wording</name>
    <message numerus="yes">
        <source>It waits until %1 after %n failure(s) in a row.</source>
        <translation>
            <numerusform>It waits until %1 after a failure.</numerusform>
            <numerusform>It waits until %1 after %n failures in a row.</numerusform>
        </translation>
    </message>
</context>
</TS>
