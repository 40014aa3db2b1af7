orrery help compare
