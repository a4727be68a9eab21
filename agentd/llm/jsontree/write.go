package jsontree

import "fmt"

// Append writes v in its one form: no space, escapes only where JSON needs them.
func (v *Value) Append(b []byte) []byte {
	switch v.Kind {
	case String:
		return appendText(b, v.Text)
	case Number:
		return append(b, v.Text...)
	case Array:
		return v.appendItems(b)
	case Object:
		return v.appendMembers(b)
	case True:
		return append(b, "true"...)
	case False:
		return append(b, "false"...)
	}
	return append(b, "null"...)
}

func (v *Value) appendItems(b []byte) []byte {
	b = append(b, '[')
	for i, item := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = item.Append(b)
	}
	return append(b, ']')
}

func (v *Value) appendMembers(b []byte) []byte {
	b = append(b, '{')
	for i, m := range v.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, m.Key), ':')
		b = m.Value.Append(b)
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		n := plain(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return append(b, '"')
		}
		b = appendEscape(b, s[n])
		s = s[n+1:]
	}
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return fmt.Appendf(b, `\u%04x`, c)
}
