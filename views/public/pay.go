package public

// PayProps is an order that waits for its payment.
type PayProps struct {
	Plan, PlanID string
	Price        int64 // cents
	Away         bool  // the page of payment could not be reached
	Bank         bool  // the customer's bank is at it
	Declined     bool  // the last payment was
}
