echo 'no library' >fake.so
orrery policies --plugin ./fake.so
