package order

// Letters about orders.
const (
	LetterEnded = "order_ended" // to who ordered: when the server is released
	LetterLate  = "order_late"  // to who ordered: it takes longer than we said
	LetterHelp  = "order_help"  // to our staff: an order needs one of them
)

// Letters says whether a mail is about an order.
func Letters(template string) bool {
	return template == LetterEnded || template == LetterLate || template == LetterHelp
}
