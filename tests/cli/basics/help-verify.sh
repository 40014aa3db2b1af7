orrery help verify
