package tune

// Value gives the value that is in force now. Nil: nobody changes it.
type Value[T any] func() T

// Or is the value in force, or the usual one where nobody changes it.
func (v Value[T]) Or(usual T) T {
	if v == nil {
		return usual
	}
	return v()
}
