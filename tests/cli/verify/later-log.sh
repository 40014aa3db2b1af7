printf 'ORRLOG\r\n\002\000\000\000' >later.orrlog
orrery verify later.orrlog
