package egress

import (
	"slices"
	"testing"
)

// Parts are joined where they touch, and never cut a letter.
func TestWiden(t *testing.T) {
	t.Parallel()
	text := "ä€ 123456 €ä and 7"
	var all []span
	for _, p := range []span{{4, 8}, {6, 15}, {19, 90}} {
		all = widen(all, text, p)
	}
	var got []string
	for _, p := range all {
		got = append(got, text[p.from:p.to])
	}
	if want := []string{"€ 123456 €", "and 7"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every word for an illness must be found by a beginning of it: a head that does not fit would hide the word.
func TestIllnesses(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"leukemia", "leukaemia", "tumor", "tumour", "burnout", "burn-out", "rakiem", "panic attacks", "HbA1c", "Metformin", "panic disorder", "depresión"} {
		if m := newMessage("She has " + word + " now"); len(m.parts(illnessTopic, 2, 2)) != 1 {
			t.Errorf("%q is not found", word)
		}
	}
	if m := newMessage("a sprak of craids"); len(m.about(illnessTopic)) != 0 {
		t.Error("the middle of a word counts")
	}
}

func TestDisguised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"card: four one-one one, 2 drei vier cinco seis": "card: 411123456",
		"1234 drac":  "card 4321",
		"pan%3D1234": "pan=1234",
	} {
		if got := disguised(newMessage(text)); !slices.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, plain := range []string{"one, two, three and four", "see https://shop.example/a%20b", "100 % wool"} {
		if got := disguised(newMessage(plain)); len(got) != 0 {
			t.Errorf("%q gives %q", plain, got)
		}
	}
	if got := undressed("<b>12</b><i class=x>34</i>&nbsp;a [at] b (dot) example"); got != "1234\u00a0a@b.example" {
		t.Errorf("got %q", got)
	}
}
