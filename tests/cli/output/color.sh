# by choice, never by default into a file, never with NO_COLOR
orrery run --color=always | cat
NO_COLOR= CLICOLOR_FORCE=1 orrery run
CLICOLOR_FORCE=1 orrery run
orrery run --color=always --color=always
