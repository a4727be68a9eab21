package lazyre

import "testing"

func TestRegexp(t *testing.T) {
	t.Parallel()
	r := MustCompile(`(\d+)-(\w+)`)
	if r.re != nil {
		t.Error("compiled before it was needed")
	}
	if got := r.FindStringSubmatch("x 12-ab"); len(got) != 3 || got[1] != "12" || got[2] != "ab" {
		t.Errorf("%q", got)
	}
	if r.ReplaceAllString("1-a", "$2") != "a" || !r.MatchString("3-c") || r.FindString("no") != "" {
		t.Error("not as regexp does it")
	}
	if CompileAll() == 0 {
		t.Error("nothing is noted")
	}
}
