package evidence_test

func probe([]string) int { return 0 }
