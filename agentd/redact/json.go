package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Bytes is Text for bytes. JSON stays JSON: strings are read as what they stand for and written anew where something was
// taken out.
func (e *Engine) Bytes(b []byte) []byte { return e.read(b, false) }

// Frame is Bytes for what this program made and shaped itself: ids, hashes, keys, signatures and sealed boxes in its own
// fields stay. Nothing that others wrote is JSON at the top of a frame: it stands in a text, or in a member that is none of
// ours (fields.go).
func (e *Engine) Frame(b []byte) []byte { return e.read(b, true) }

func (e *Engine) read(b []byte, frame bool) []byte {
	s := e.state.Load()
	mark := uint64(latelyMark)
	if frame {
		mark |= frameMark
	}
	key := e.cache.keyBytes(s.gen|mark, b)
	if e.lately.clean(key) {
		return b
	}
	out := e.bytes(s, b, frame)
	if bytes.Equal(out, b) {
		e.lately.found(key)
	}
	return out
}

func (e *Engine) bytes(s *state, b []byte, frame bool) []byte {
	if !looksLikeJSON(b) || !json.Valid(b) {
		return e.plain(b)
	}
	if bytes.IndexByte(b, '\\') < 0 { // its strings read as they stand
		if spans, err := s.scan(b, full); err == nil && len(spans) == 0 {
			return b
		}
	}
	j := jsonWalk{e: e, s: s, in: b, frame: frame}
	j.walk()
	if j.at == 0 {
		return b
	}
	return append(j.out, b[j.at:]...)
}

// JSON is Bytes for a text that comes by again and again.
func (e *Engine) JSON(text string) string {
	s := e.state.Load()
	id := e.cache.key(s.gen|1<<62, text)
	if r, ok := e.cache.get(id); ok {
		return r.clean
	}
	clean := string(e.Bytes([]byte(text)))
	e.cache.put(id, remembered{clean: clean})
	return clean
}

func (e *Engine) plain(b []byte) []byte {
	text := string(b)
	if out := e.Text(text); out != text {
		return []byte(out)
	}
	return b
}

func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[' || b[0] == '"')
}

// jsonWalk goes over the strings and numbers of valid JSON.
type jsonWalk struct {
	e     *Engine
	s     *state
	in    []byte
	out   []byte
	at    int      // in up to here is in out
	keys  []string // of the objects and arrays around; an array has the key it stands under
	names []string // last text of a member "name" or "key" of the object around
	frame bool     // it is one of our own
	own   int      // how many of keys, from the outermost on, are of our own containers

	foreign int    // what stands before it was looked at for lists of numbers
	listed  []span // found in them, in order
}

func (j *jsonWalk) walk() {
	key := ""
	for i := 0; i < len(j.in); {
		switch c := j.in[i]; {
		case c == '{' || c == '[':
			if c == '[' {
				j.lists(i)
			}
			j.enter(key)
			i++
		case c == '}' || c == ']':
			key = j.leave()
			i++
		case c == '"':
			end := stringEnd(j.in, i)
			if name, ok := j.member(i, end); ok {
				key = name
			} else {
				j.text(i, end, key)
			}
			i = end
		case c == '-' || isDigit(c):
			i = j.number(i, key)
		default:
			i++
		}
	}
}

func (j *jsonWalk) enter(key string) {
	if j.own == len(j.keys) && (j.own == 0 || ownContainers[key]) {
		j.own++
	}
	j.keys, j.names = append(j.keys, key), append(j.names, "")
}

func (j *jsonWalk) leave() (key string) {
	n := len(j.keys) - 1
	key, j.keys, j.names, j.own = j.keys[n], j.keys[:n], j.names[:n], min(j.own, n)
	return key
}

// ours says whether the names of members are our own where the walk is.
func (j *jsonWalk) ours() bool { return j.frame && j.own == len(j.keys) }

// stringEnd is behind the closing quote of the string at i.
func stringEnd(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// member says whether the string at i is the name of a member, and redacts it.
func (j *jsonWalk) member(i, end int) (string, bool) {
	k := end
	for k < len(j.in) && class[j.in[k]]&clsSpace != 0 {
		k++
	}
	if k == len(j.in) || j.in[k] != ':' {
		return "", false
	}
	name := unquoted(j.in[i:end])
	if clean := j.clean(name, "", formed); clean != name {
		j.replace(i, end, clean)
	}
	return name, true
}

// text redacts a string that is a value.
func (j *jsonWalk) text(i, end int, key string) {
	value := unquoted(j.in[i:end])
	context := key
	if n := len(j.names) - 1; n >= 0 {
		switch strings.ToLower(key) {
		case "name", "key", "field", "variable":
			j.names[n] = value
		case "value", "val", "default", "content":
			context = j.names[n]
		}
	}
	if clean := j.clean(value, context, j.look(key, value)); clean != value {
		j.replace(i, end, clean)
	}
}

// number redacts a number that is a known secret, or stands where a secret stands.
func (j *jsonWalk) number(i int, key string) int {
	end := j.numberEnd(i)
	if next := j.list(i, end); next > 0 {
		return next
	}
	value := string(j.in[i:end])
	if len(value) < 3 {
		return end
	}
	if clean := j.clean(value, key, full); clean != value {
		j.replace(i, end, clean)
	}
	return end
}

// clean redacts one decoded text that stands under key.
func (j *jsonWalk) clean(value, key string, d depth) string {
	if value == "" {
		return value
	}
	lead := ""
	if key != "" && len(value) <= maxKeyed && d == full {
		lead = key + `="`
	}
	text := lead + value
	if word(text) {
		return j.word(text, len(lead), d)
	}
	return j.scanned(text, len(lead), d)
}

// scanned redacts text and gives it without the lead bytes that only say what it is.
func (j *jsonWalk) scanned(text string, lead int, d depth) string {
	spans, err := j.s.scanString(text, d)
	if err != nil {
		return unscanned
	}
	for len(spans) > 0 && spans[0].end <= lead {
		spans = spans[1:]
	}
	if len(spans) == 0 {
		return text[lead:]
	}
	spans[0].start = max(spans[0].start, lead)
	return j.e.rewrite(j.s, text, spans)[lead:]
}

// maxWord is how long a text may be that is taken for a word.
const maxWord = 48

// word says whether text is short and without digits, as the names and states are that stand in every frame.
func word(text string) bool {
	if len(text) > maxWord {
		return false
	}
	for i := range len(text) {
		if isDigit(text[i]) {
			return false
		}
	}
	return true
}

// word is scanned for what comes by again and again.
func (j *jsonWalk) word(text string, lead int, d depth) string {
	id := j.e.cache.key(j.s.gen|uint64(1+d)<<58|uint64(lead)<<40, text)
	if r, ok := j.e.cache.get(id); ok {
		return r.clean
	}
	clean := j.scanned(text, lead, d)
	j.e.cache.put(id, remembered{clean: clean})
	return clean
}

// maxKeyed is how long a value may be for its key to matter: a longer one is a text.
const maxKeyed = 4 << 10

func (j *jsonWalk) replace(i, end int, text string) {
	j.out = append(j.out, j.in[j.at:i]...)
	j.out = append(j.out, quoted(text)...)
	j.at = end
}

func unquoted(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1])
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return string(b[1 : len(b)-1]) // cannot be: the whole is valid JSON
	}
	return s
}

func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return []byte(`"` + unscanned + `"`) // cannot be: a string always has a form in JSON
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// depth of a look at one string.
type depth int

const (
	registered depth = iota // known secrets
	formed                  // and what has the form of a credential
	full                    // and what stands where a credential stands
)
