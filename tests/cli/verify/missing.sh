orrery verify nowhere
