package email

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// proof is what the mailbox's own server found out about the sender of a mail.
type proof struct {
	proven bool
	forged bool   // it is said not to be the sender's
	why    string // not proven, in words that follow "because"
}

// proofOf reads who a sender is from the topmost Authentication-Results of the server that is trusted with it. Headers are added on
// top, and that server takes away others that bear its name (RFC 8601, section 5).
func proofOf(headers []string, trusted, from string) proof {
	if trusted == "" {
		return proof{why: "no server that checks senders is set for this mailbox"}
	}
	_, domain, _ := strings.Cut(from, "@")
	for _, h := range headers {
		id, results, ok := readResults(h)
		if !isServer(id, trusted) {
			continue
		}
		if !ok {
			return proof{why: "what the mail server says about its sender cannot be read"}
		}
		return judge(results, domain)
	}
	return proof{why: "the mail server says nothing about its sender"}
}

func isServer(id, trusted string) bool {
	if domain, any := strings.CutPrefix(trusted, "*."); any {
		return strings.Contains(domain, ".") && strings.HasSuffix(strings.ToLower(id), "."+strings.ToLower(domain))
	}
	return id != "" && strings.EqualFold(id, trusted)
}

// judge: DMARC decides where it was looked at; else a signature by the sender's own domain does. SPF proves nothing here: it is about the
// address of the envelope, which a provider lets each of its customers choose.
func judge(all []result, domain string) proof {
	var own bool
	for _, r := range all {
		switch r.method {
		case "dmarc":
			switch {
			case r.value == "pass" && strings.EqualFold(r.of["header.from"], domain):
				return proof{proven: true}
			case r.value == "fail":
				return proof{forged: true, why: "the mail server says that it does not come from " + domain + " (DMARC)"}
			}
		case "dkim":
			d := r.of["header.d"]
			if d == "" {
				d = r.of["header.i"]
			}
			own = own || r.value == "pass" && signsFor(d, domain)
		}
	}
	if own {
		return proof{proven: true}
	}
	return proof{why: "neither DMARC nor DKIM shows that it comes from " + domain}
}

// signsFor says whether who signs for one domain, or for an address in it, speaks for another: for itself, and for what lies beneath a
// domain that was registered. One beneath does not speak for what lies above: it may have been lent to somebody who sends newsletters.
func signsFor(signer, domain string) bool {
	signer, domain = strings.ToLower(signer[strings.LastIndexByte(signer, '@')+1:]), strings.ToLower(domain)
	registered, err := publicsuffix.EffectiveTLDPlusOne(domain)
	return signer != "" && (signer == domain || err == nil && signer == registered)
}

// result is one result of a check.
type result struct {
	method, value string
	of            map[string]string // what was checked
}

// readResults reads one Authentication-Results. Texts that senders choose stand in comments and quotes: what is in there says nothing.
func readResults(h string) (id string, all []result, ok bool) {
	parts, ok := splitResults(h)
	if !ok || len(parts) == 0 || len(parts[0]) == 0 {
		return firstWord(h), nil, false
	}
	for _, words := range parts[1:] {
		if len(words) == 0 {
			continue
		}
		method, value, is := strings.Cut(words[0], "=")
		if !is { // "none"
			continue
		}
		r := result{strings.ToLower(method), strings.ToLower(value), map[string]string{}}
		for _, w := range words[1:] {
			if k, v, is := strings.Cut(w, "="); is && r.of[strings.ToLower(k)] == "" {
				r.of[strings.ToLower(k)] = v
			}
		}
		all = append(all, r)
	}
	return parts[0][0], all, true
}

func firstWord(h string) string {
	words := strings.FieldsFunc(h, func(r rune) bool { return r == ' ' || r == ';' || r == '\t' || r == '(' })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// splitResults splits a header at semicolons and blanks that stand neither in quotes nor in comments, which are left out.
func splitResults(h string) (parts [][]string, ok bool) {
	var words []string
	var word strings.Builder
	depth, quoted := 0, false
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for i := 0; i < len(h); i++ {
		c := h[i]
		switch {
		case c == '\\' && (quoted || depth > 0):
			if i++; quoted && i < len(h) {
				word.WriteByte(h[i])
			}
		case depth > 0 && c == ')':
			depth--
		case c == '(' && !quoted:
			depth++
		case depth > 0:
		case c == '"':
			quoted = !quoted
		case quoted:
			word.WriteByte(c)
		case c == ';':
			end()
			parts, words = append(parts, words), nil
		case c == ' ', c == '\t', c == '\r', c == '\n':
			end()
		default:
			word.WriteByte(c)
		}
	}
	end()
	return append(parts, words), depth == 0 && !quoted
}
