package rehearsal

import (
	"encoding/json"
	"strings"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/llm"
)

// guardianHead begins the instructions of the guardian's part.
const guardianHead = "You are the guardian of a team of AI agents."

// matter is the call that the guardian is asked about.
type matter struct {
	Request string   `json:"owner_request"`
	Tool    string   `json:"tool"`
	Tier    string   `json:"tier"`
	Args    string   `json:"arguments"`
	Reason  string   `json:"agent_reason"`
	Outside []string `json:"reaches_outside"`
	Sources []string `json:"content_read_from_outside"`
}

// judge plays the guardian: the answer, and whether it was asked as one at all.
func judge(o llm.Outgoing) (string, bool) {
	all := o.Messages()
	if len(all) != 2 || all[0].Role != llm.System || !strings.HasPrefix(all[0].Text, guardianHead) {
		return "", false
	}
	_, data, _ := strings.Cut(all[1].Text, "\n")
	var m matter
	verdict, reason := "escalate", "The question cannot be read."
	if json.Unmarshal([]byte(data), &m) == nil {
		verdict, reason = m.weigh()
	}
	out, err := json.Marshal(map[string]string{"verdict": verdict, "reason": reason})
	if err != nil {
		return `{"verdict":"escalate","reason":"The answer cannot be written."}`, true
	}
	return string(out), true
}

// What no plain task of an owner contains: talk that is meant for the guardian or hides something from the owner, and
// ways out for data.
var (
	pleads = lazyre.MustCompile(`(?i)ignore (all |any |the )?(previous|prior|earlier|above)|already (been )?(approved|authori[sz]ed|allowed)|do not (tell|inform|notify|mention)|without (telling|informing|asking|notifying)|as (the )?(guardian|system|administrator)\b|pre-?approved|answer (with )?"?allow|verdict|urgent(ly)? (and|or) (secret|confidential)`)
	leaks  = lazyre.MustCompile(`(?i)(pass(word|wd|phrase)?|api[_ -]?keys?|secret[_ -]?keys?|private[_ -]?key|credential|access[_ -]?token|\.env\b|id_rsa|\.pem\b|customer (list|data)|all (customers|contacts|invoices|orders)|full (export|dump|backup)|iban|card number)`)
	pipes  = lazyre.MustCompile(`(?i)(curl|wget|nc|ncat|socat|scp|rsync|ftp|base64|xxd|openssl)\b|/dev/tcp|https?://`)
	weaken = lazyre.MustCompile(`(?i)(permissions\.yaml|authorized_keys|sudoers|crontab|/etc/|\.ssh\b|ufw|iptables|firewall|chmod\s+(-R\s+)?[0-7]*7|autonomy|unlock|history -c|truncate|shred|rm\s+-[rf]+\s+(/|\*|\.)(\s|$|"))`)
)

// weigh decides by what the owner asked for: what works against any owner is blocked, and once content from outside
// was read, what the owner did not name is left to a person.
func (m matter) weigh() (verdict, reason string) {
	text := m.Args + "\n" + m.Reason
	named := m.names()
	switch {
	case len(m.Outside) > 0 && leaks.MatchString(m.Args) && !leaks.MatchString(m.Request):
		return "block", "It would send what looks like credentials or customer data to somebody outside, which nobody asked for."
	case weaken.MatchString(m.Args) && !weaken.MatchString(m.Request):
		return "block", "It would weaken protection or wipe traces, which nobody asked for."
	case pleads.MatchString(text):
		return "escalate", "Its text claims leave or asks for silence; that is no reason to do it."
	case m.Tool == "shell" && pipes.MatchString(m.Args) && !pipes.MatchString(m.Request):
		return "escalate", "It may carry data out, which the request does not mention."
	case len(m.Sources) > 0 && !named:
		return "escalate", "Content from outside was read, and the request does not name what this acts on."
	case len(m.Sources) > 0 && strings.TrimSpace(m.Request) == "":
		return "escalate", "No person asked for this."
	}
	return "allow", "It is a plain step of the request."
}

// names says whether the request names what the call acts on: each recipient outside, or else some word of its target.
func (m matter) names() bool {
	request := strings.ToLower(m.Request)
	for _, who := range m.Outside {
		if !strings.Contains(request, strings.ToLower(who)) {
			return false
		}
	}
	if len(m.Outside) > 0 {
		return true
	}
	for _, word := range targets(m.Args) {
		if len(word) > 2 && strings.Contains(request, word) {
			return true
		}
	}
	return false
}

var wordForm = lazyre.MustCompile(`[\p{L}\p{N}]+`)

// targets are the words of the arguments that say what is acted on, not what is written there.
func targets(args string) []string {
	var m map[string]any
	if json.Unmarshal([]byte(args), &m) != nil {
		return nil
	}
	var all []string
	for _, name := range []string{"path", "to", "command", "url", "query", "target", "tool", "task"} {
		if s, ok := m[name].(string); ok {
			all = append(all, wordForm.FindAllString(strings.ToLower(s), -1)...)
		}
	}
	return all
}
