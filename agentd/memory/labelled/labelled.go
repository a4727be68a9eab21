package labelled

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

//go:embed topics.yaml
var source []byte

// Note is one entry of a daily file.
type Note struct {
	ID   string
	Day  time.Time // the day that it was written, at midnight UTC
	Text string
}

// Question asks for one note.
type Question struct {
	ID   string
	Kind string // Plain, Typo, Compound, Inflected, Corrected
	Text string
	Want string // the id of the note that answers it
	Old  string // Corrected only: the id of the note that Want supersedes
}

// Kinds of questions.
const (
	Plain     = "plain"     // in words of the note
	Typo      = "typo"      // with letters that are swapped, missing or doubled
	Compound  = "compound"  // with words joined that the note writes apart, or the other way round
	Inflected = "inflected" // in other forms of the words
	Corrected = "corrected" // about something that was written down twice, the second time with other figures
)

// Set is the whole.
type Set struct {
	Notes     []Note
	Questions []Question
}

// Begin and End bound the days of the notes.
var (
	Begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	End   = Begin.AddDate(0, 0, days)
)

const (
	days      = 300
	partners  = 24
	perTopic  = 6 // questions about each
	corrected = 2 // corrections in each topic; together with the instances they make 2,000 notes
)

type topic struct {
	Lang      string   `yaml:"lang"`
	Trade     string   `yaml:"trade"`
	Items     []string `yaml:"items"`
	Note      string   `yaml:"note"`
	Plain     string   `yaml:"plain"`
	Inflected string   `yaml:"inflected"`
	Compound  string   `yaml:"compound"`
}

// names tell the partners of one trade apart.
var names = map[string][]string{
	"de": {
		"Ahorn", "Birke", "Falke", "Amsel", "Granit", "Kiesel", "Hafen", "Brücke", "Linde", "Eule", "Fuchs", "Anker",
		"Mühle", "Quelle", "Distel", "Möwe", "Hirsch", "Kranich", "Leuchtturm", "Wiese", "Zeder", "Forelle", "Glocke", "Marder",
	},
	"en": {
		"Maple", "Birch", "Falcon", "Blackbird", "Granite", "Pebble", "Harbour", "Bridge", "Linden", "Owl", "Fox", "Anchor",
		"Mill", "Spring", "Thistle", "Seagull", "Stag", "Crane", "Lighthouse", "Meadow", "Cedar", "Trout", "Bell", "Marten",
	},
}

// Load makes the set; it is the same each time.
func Load() (Set, error) {
	var topics []topic
	if err := yaml.Unmarshal(source, &topics); err != nil {
		return Set{}, fmt.Errorf("topics: %w", err)
	}
	m := maker{rnd: rand.New(rand.NewPCG(20, 26))}
	for i, t := range topics {
		m.tell(i, t)
	}
	return m.set, nil
}

type maker struct {
	rnd *rand.Rand
	set Set
}

// tell writes the notes of one topic, and the questions about some of them.
func (m *maker) tell(at int, t topic) {
	for i := range partners * len(t.Items) {
		m.note(t, i, m.rnd.IntN(days/2))
	}
	first := len(m.set.Notes) - partners*len(t.Items)
	for c := range corrected {
		old := m.set.Notes[first+c]
		again := m.note(t, c, days/2+m.rnd.IntN(days/2))
		m.ask(Corrected, t.fill(t.Plain, c, "", ""), again.ID, old.ID)
	}
	// Each topic is asked about once in each other way, always about another partner.
	ways := []struct{ kind, text string }{{Plain, t.Plain}, {Typo, t.Plain}, {Compound, t.Compound}, {Inflected, t.Inflected}}
	for w, way := range ways {
		i := corrected + (at+w*5)%(partners-corrected)
		text := t.fill(way.text, i, "", "")
		if way.kind == Typo {
			text = m.misspell(text)
		}
		m.ask(way.kind, text, m.set.Notes[first+i].ID, "")
	}
}

// note is the i-th of a topic: for each item in turn all partners.
func (m *maker) note(t topic, i, day int) Note {
	date := Begin.AddDate(0, 0, day+10+m.rnd.IntN(60))
	n := Note{
		ID: fmt.Sprintf("n%04d", len(m.set.Notes)+1), Day: Begin.AddDate(0, 0, day),
		Text: t.fill(t.Note, i, said(t.Lang, date), fmt.Sprint(10+m.rnd.IntN(980))),
	}
	m.set.Notes = append(m.set.Notes, n)
	return n
}

func (m *maker) ask(kind, text, want, old string) {
	q := Question{ID: fmt.Sprintf("q%03d", len(m.set.Questions)+1), Kind: kind, Text: text, Want: want, Old: old}
	m.set.Questions = append(m.set.Questions, q)
}

func (t topic) fill(text string, i int, date, number string) string {
	name := names[t.Lang][i%partners]
	partner := t.Trade + " " + name
	if t.Lang == "en" {
		partner = name + " " + t.Trade
	}
	return strings.NewReplacer("{p}", partner, "{x}", t.Items[i/partners], "{d}", date, "{n}", number).Replace(text)
}

var months = []string{
	"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
}

func said(lang string, d time.Time) string {
	if lang == "de" {
		return fmt.Sprintf("%d. %s %d", d.Day(), months[d.Month()-1], d.Year())
	}
	return d.Format("2 January 2006")
}

// misspell makes one mistake in each of the long words.
func (m *maker) misspell(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		r := []rune(w)
		if len(r) < 6 {
			continue
		}
		at := 1 + m.rnd.IntN(len(r)-3)
		switch m.rnd.IntN(3) {
		case 0:
			r[at], r[at+1] = r[at+1], r[at]
		case 1:
			r = append(r[:at], r[at+1:]...)
		default:
			r = append(r[:at+1], r[at:]...)
		}
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

// Share is the share of questions of each kind whose note is among the first five that find gives, best first, in percent. Under
// "all" stands that of all, and under "newer first" the share of corrections that stand before what they correct. Of every so many
// topics one is asked about.
func (s Set) Share(every int, find func(text string) (ids []string, err error)) (map[string]float64, error) {
	found, of := map[string]float64{}, map[string]float64{}
	for i, q := range s.Questions {
		if i/perTopic%every != 0 {
			continue
		}
		ids, err := find(q.Text)
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		want, old := slices.Index(ids, q.Want), slices.Index(ids, q.Old)
		for _, kind := range []string{q.Kind, "all"} {
			of[kind]++
			if want >= 0 && want < 5 {
				found[kind]++
			}
		}
		if q.Kind == Corrected {
			of[NewerFirst]++
			if want >= 0 && (old < 0 || want < old) {
				found[NewerFirst]++
			}
		}
	}
	for kind, n := range of {
		found[kind] = 100 * found[kind] / n
	}
	return found, nil
}

// NewerFirst is the kind under which Share says how often corrections stand before what they correct.
const NewerFirst = "newer first"
