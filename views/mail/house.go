package mail

import "context"

// House is who sends the letters, as far as they have said.
type House struct {
	Name    string // at the head of a letter; empty: that of the program
	Address string // postal, at its end; may be empty
}

type houseKey struct{}

// WithHouse has letters that are written under ctx come from this house.
func WithHouse(ctx context.Context, h House) context.Context {
	return context.WithValue(ctx, houseKey{}, h)
}

func houseOf(ctx context.Context) House {
	h, _ := ctx.Value(houseKey{}).(House)
	return h
}
