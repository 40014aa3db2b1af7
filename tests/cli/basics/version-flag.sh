orrery version >a && orrery -V >b && orrery --version >c && orrery run --version >d && cmp a b && cmp a c && cmp a d
