package portal

import "strings"

// TurnID is the DOM id of a message with its answer.
func TurnID(run string) string { return "turn-" + domKey(run) }

// AnswerID is the DOM id of the bubble in which a root run is answered; its parts follow from it.
func AnswerID(run string) string { return "a-" + domKey(run) }

// HeadID is the DOM id of the line that says who answers and how far it is.
func HeadID(run string) string { return AnswerID(run) + "-head" }

// EndID is the DOM id of the place that says how a run without an answer ended.
func EndID(run string) string { return AnswerID(run) + "-end" }

// WorkID is the DOM id of the list of what one run did.
func WorkID(run string) string { return "w-" + domKey(run) }

// TextID is the DOM id of one piece of writing.
func TextID(run, step string) string { return "x-" + domKey(run) + "-" + step }

// DoneID is the DOM id of the finished blocks of a piece of writing.
func DoneID(text string) string { return text + "-done" }

// TailID is the DOM id of the open block of a piece of writing.
func TailID(text string) string { return text + "-tail" }

// CallID is the DOM id of one use of a tool.
func CallID(call string) string { return "c-" + domKey(call) }

// ChipID is the DOM id of the chip of a call.
func ChipID(call string) string { return call + "-chip" }

// AskID is the DOM id of the questions that a call led to.
func AskID(call string) string { return call + "-ask" }

// HandID is the DOM id of the work that a call handed on.
func HandID(call string) string { return call + "-hand" }

// EvidenceID is the DOM id of the evidence panel of a run.
func EvidenceID(run string) string { return "e-" + domKey(run) }

// EvidenceSumID is the DOM id of the closed line of the evidence panel.
func EvidenceSumID(run string) string { return EvidenceID(run) + "-sum" }

// ClaimsID is the DOM id of the claims in the evidence panel.
func ClaimsID(run string) string { return EvidenceID(run) + "-claims" }

// ReceiptsID is the DOM id of the receipts in the evidence panel.
func ReceiptsID(run string) string { return EvidenceID(run) + "-list" }

// domKey makes an id of another system safe in a selector: what is not plain is spelled out.
func domKey(id string) string {
	var b strings.Builder
	for _, r := range id {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '-':
			b.WriteRune(r)
		default:
			b.WriteString("_" + hex(r))
		}
	}
	return b.String()
}

func hex(r rune) string {
	const digits = "0123456789abcdef"
	out := ""
	for ; r > 0; r /= 16 {
		out = string(digits[r%16]) + out
	}
	return out + "_"
}
