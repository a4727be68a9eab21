package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// variantsOf gives the ways to write value that are looked for as they are. Everything else is found by decoding the
// text, and so is what was encoded twice.
func variantsOf(value string) []variant {
	var all []variant
	long := len(value) >= 8
	for _, form := range spellings(value) {
		all = append(all, variant{form: form, fold: long, whole: !long})
	}
	bytes := [][]byte{[]byte(value)}
	if !isASCII(value) {
		bytes = append(bytes, wide(value, 0), wide(value, 1))
		all = append(all, variant{form: bytes[1], fold: false}, variant{form: bytes[2], fold: false})
	}
	for _, b := range bytes {
		for _, v := range encodings(b, long) {
			all = append(all, v)
			if v.form = []byte(backwards(string(v.form))); long {
				v.before, v.after = v.after, v.before
				all = append(all, v)
			}
		}
	}
	return distinct(append(all, reversed(value, long)...))
}

// spellings are value as it is, in the normal forms of Unicode, in other cases and backwards.
func spellings(value string) [][]byte {
	all := []string{value, backwards(value)}
	if !isASCII(value) {
		for _, f := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			all = append(all, f.String(value), backwards(f.String(value)))
		}
		all = append(all, strings.ToLower(value), strings.ToUpper(value), turned(value), backwards(strings.ToUpper(value)), backwards(strings.ToLower(value)))
	}
	if !isASCII(value) {
		all = append(all, misread(value)...)
	}
	if strings.Contains(value, " ") {
		all = append(all, strings.ReplaceAll(value, " ", "+")) // as forms send it
	}
	for _, d := range doubled {
		if twice := d.Replace(value); twice != value {
			all = append(all, twice)
		}
	}
	if strings.Contains(value, "'") { // as shells and SQL write it between single quotes
		all = append(all, strings.ReplaceAll(value, "'", `'\''`), strings.ReplaceAll(value, "'", `'"'"'`), strings.ReplaceAll(value, "'", "''"))
	}
	if strings.Contains(value, `"`) { // as tables write it
		all = append(all, strings.ReplaceAll(value, `"`, `""`))
	}
	if strings.Contains(value, "%") {
		all = append(all, url.QueryEscape(value), url.PathEscape(value))
	}
	var forms [][]byte
	for _, s := range all {
		forms = append(forms, compacted([]byte(s)))
	}
	return forms
}

// doubled write those signs twice that templates and files of settings write so to mean themselves.
var doubled = []*strings.Replacer{strings.NewReplacer("$", "$$"), strings.NewReplacer("%", "%%"), strings.NewReplacer("{", "{{", "}", "}}")}

// misread is a value as programs show it that take its bytes for those of another character set: UTF-8 for Latin-1 or for
// what Windows has in its place, Latin-1 for UTF-8.
func misread(value string) []string {
	var latin, windows strings.Builder
	for _, b := range []byte(value) {
		latin.WriteRune(rune(b))
		if r := charmap.Windows1252.DecodeByte(b); r != utf8.RuneError {
			windows.WriteRune(r)
		} else {
			windows.WriteRune(rune(b)) // it has five gaps, which programs fill so
		}
	}
	all := []string{latin.String(), windows.String()}
	if lossy, left := garbled(value); left >= minLength {
		all = append(all, lossy)
	}
	return all
}

// garbled is value with a sign for every character that was lost, and how many characters are left to know it by: every
// text that a program could not read has such signs in a row.
func garbled(value string) (lossy string, left int) {
	lossy = strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return utf8.RuneError
		}
		if r > ' ' {
			left++
		}
		return r
	}, norm.NFC.String(value))
	return lossy, left
}

// encodings are base64 at its three alignments, in both alphabets, base32 at its five, and hexadecimal.
func encodings(b []byte, long bool) []variant {
	all := []variant{{form: []byte(hex.EncodeToString(b)), fold: true}}
	for shift := range 3 {
		std := base64.StdEncoding.EncodeToString(append(make([]byte, shift), b...))
		all = append(all, inner(std, shift, len(b), 6, long))
		if strings.ContainsAny(std, "+/") {
			all = append(all, inner(strings.NewReplacer("+", "-", "/", "_").Replace(std), shift, len(b), 6, long))
		}
	}
	for shift := range 5 {
		v := inner(base32.StdEncoding.EncodeToString(append(make([]byte, shift), b...)), shift, len(b), 5, long)
		v.fold = long
		all = append(all, v)
	}
	return all
}

// inner is the part of an encoded text that depends on nothing but the n bytes behind shift: width is how many bits a
// character carries. The characters at its edges carry bits of both the secret and its neighbours.
func inner(encoded string, shift, n, width int, long bool) variant {
	first := (8*shift + width - 1) / width
	last := 8 * (shift + n) / width
	v := variant{form: []byte(encoded[first:last]), fold: long && n >= 12}
	if 8*shift%width != 0 {
		v.before = 1
	}
	if 8*(shift+n)%width != 0 {
		v.after = 1
	}
	return v
}

// reversed are encodings of value written backwards.
func reversed(value string, long bool) []variant {
	if !long {
		return nil
	}
	b := []byte(value)
	var forms []string
	var percent, entity, printable, dec strings.Builder
	for _, c := range b {
		fmt.Fprintf(&percent, "%%%02X", c)
		fmt.Fprintf(&printable, "=%02X", c)
	}
	for _, c := range value {
		fmt.Fprintf(&entity, "&#x%x;", c)
		fmt.Fprintf(&dec, "&#%d;", c)
	}
	for _, f := range []string{url.PathEscape(value), url.QueryEscape(value), url.QueryEscape(url.QueryEscape(value)), html.EscapeString(value), strings.Trim(string(quoted(value)), `"`)} {
		if f != value {
			forms = append(forms, f)
		}
	}
	for _, f := range []string{`\x%02x`, `\%03o`} {
		var b strings.Builder
		for i := range len(value) {
			fmt.Fprintf(&b, f, value[i])
		}
		forms = append(forms, b.String())
	}
	forms = append(forms, percent.String(), printable.String(), entity.String(), dec.String(), escapedFully(value))
	var all []variant
	for _, f := range forms {
		all = append(all, variant{form: []byte(backwards(f)), fold: true})
	}
	return all
}

func escapedFully(value string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(value)) {
		fmt.Fprintf(&b, "\\u%04x", u)
	}
	return b.String()
}

// wide is UTF-16, little end first when big is 0, without the zero bytes that are left out of every text.
func wide(value string, big int) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(value)) {
		pair := [2]byte{byte(u), byte(u >> 8)}
		b = append(b, pair[big], pair[1-big])
	}
	return compacted(b)
}

// turned swaps the case of every letter.
func turned(s string) string {
	return strings.Map(func(r rune) rune {
		if up := strings.ToUpper(string(r)); up != string(r) {
			return []rune(up)[0]
		}
		return []rune(strings.ToLower(string(r)))[0]
	}, s)
}

func backwards(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// distinct leaves out what is there twice.
func distinct(all []variant) []variant {
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(v variant) bool {
		again := seen[string(v.form)]
		seen[string(v.form)] = true
		return again
	})
}
