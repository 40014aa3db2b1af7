printf 'ORRLOG\r\n\003\000\000\000' >later.orrlog
orrery verify later.orrlog
