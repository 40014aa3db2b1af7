orrery policies --plugin absent.so
