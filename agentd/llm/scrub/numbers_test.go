package scrub

import (
	"fmt"
	"strings"
	"testing"
)

// byteList is a text as the list of its bytes.
func byteList(s, between string) string {
	all := make([]string, len(s))
	for i := range len(s) {
		all[i] = fmt.Sprint(s[i])
	}
	return strings.Join(all, between)
}

// TestClean_byteList: a secret that is written as numbers goes as a whole, in the request itself, in JSON that stands in
// it as a text, and over the rows of a table. Other numbers stay numbers.
func TestClean_byteList(t *testing.T) {
	t.Parallel()
	s := scrubber()
	list, rest := byteList(value, ","), strings.Repeat(`,""`, len(value)-1)
	gone := `"[SECRET:test.key]"` + rest
	for name, c := range map[string]struct{ in, want string }{
		"array":           {`{"type":"Buffer","data":[` + list + `]}`, `{"type":"Buffer","data":[` + gone + `]}`},
		"among numbers":   {`{"a":[1000,` + list + `,2.5,13]}`, `{"a":[1000,` + gone + `,2.5,13]}`},
		"JSON in a text":  {`{"arguments":"{\"data\":[` + list + `]}"}`, `{"arguments":"{\"data\":[` + strings.ReplaceAll(gone, `"`, `\"`) + `]}"}`},
		"rows":            {`[[` + byteList(value[:4], ",") + `],[` + byteList(value[4:], ",") + `]]`, `[["[SECRET:test.key]"` + rest[:9] + `],[""` + rest[:3*(len(value)-5)] + `]]`},
		"a text":          {`{"a":"b = []byte{` + byteList(value, ", ") + `}"}`, `{"a":"b = []byte{[SECRET:test.key]}"}`},
		"measured":        {`{"a":[20.5,21,22,23,24,25,26,27,28,29,30],"b":[72,101,108,108,111,32,119,111,114]}`, `{"a":[20.5,21,22,23,24,25,26,27,28,29,30],"b":[72,101,108,108,111,32,119,111,114]}`},
		"after other end": {`[1,2,"x",` + list + `]`, `[1,2,"x",` + gone + `]`},
	} {
		for range 2 { // the second time from memory
			if got, n, err := clean(t, s, c.in); err != nil || got != c.want || (n == 0) != (c.in == c.want) {
				t.Errorf("%s: %s, %d found, %v; want %s", name, got, n, err, c.want)
			}
		}
	}
}
