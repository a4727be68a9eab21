package billing

// Letters about a plan, to the owners of a customer. LetterPlan and LetterAddress are about a period, the others about a cancellation.
const (
	LetterPlan      = "plan_changed"   // another plan holds: Ref is the id of the period, a dot, and what makes it unique
	LetterCancelled = "plan_cancelled" // it ends with the month
	LetterKept      = "plan_kept"      // that was taken back
	LetterAddress   = "plan_address"   // an invoice needs the customer's address: Ref is the id of the period
)

// PlanLetters says whether a letter is about a plan.
func PlanLetters(template string) bool {
	return template == LetterPlan || template == LetterCancelled || template == LetterKept || template == LetterAddress
}
