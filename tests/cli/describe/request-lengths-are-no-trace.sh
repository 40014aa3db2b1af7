printf 'num_prefill_tokens,num_decode_tokens\n3772,54\n' >t.csv
orrery describe t.csv
