package egress

import (
	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/redact"
)

// spent says whether a finding is the token of a link that mails carry for their reader: to leave a list, to follow a
// parcel. A secret that the server knows by name never is.
func spent(text string, x redact.Finding) bool {
	if x.Name != "" || x.Start < 0 || x.Start > len(text) {
		return false
	}
	before := text[max(0, x.Start-160):x.Start]
	if x.End-x.Start <= longestPasscode && meeting.MatchString(before) || meetingLink.MatchString(before) {
		return true
	}
	if !readersLink.MatchString(before) {
		return false
	}
	return (&message{text: text}).inLink(x.Start)
}

// meetingLink is the link of a meeting up to its passcode.
var meetingLink = lazyre.MustCompile(`(?i)://[^\s/]*(?:zoom|webex|teams|meet|jitsi|whereby)[^\s/]*/\S*[?&](?:pwd|p|passcode|tk)=$`)

// longestPasscode is how long the code is that lets the invited into a meeting.
const longestPasscode = 10

var meeting = lazyre.MustCompile(`(?i)(?:meeting|conference|webinar|zoom|dial.?in|besprechung|réunion|reunión|booking|reservation|confirmation|buchung|parcel|locker|pick-?up|abhol)[\s\S]{0,120}(?:passcode|code|kenncode|pin|password|passwort)\W{0,4}$`)

var readersLink = lazyre.MustCompile(`(?i)unsubscribe|opt.?out|abmeld|abbestell|désabonn|desabonn|desinscri|darse de baja|cancelar la suscrip|disiscri|afmeld|uitschrijv|wypisz|cancelar a subscri|preferences|view (?:it )?(?:online|in (?:your )?browser)|im browser|track|sendung|parcel`)
