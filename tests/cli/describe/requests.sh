cat >t.csv <<'END'
# origin: 2024-02-29 23:59:00
arrival,tokens_in,tokens_out,duration,service,client,state,censored,blocks,tier
0,1000,20,1.5,small,ann,,,0/1,gold
0.5,2000,200,4,large,bob,,,0/1/2/3,gold
61,1000,0,2,small,ann,failed,,4/0,
61,1000,0,2,small,ann,failed,,4/0,
90,500,,,small,,,1,,silver
END
orrery describe t.csv
