package pricing

import (
	"encoding/json"
	"fmt"
	"time"
)

// decode is e with its value read, where a month asks for that kind once for each hour.
func (e Entry) decode() Entry {
	switch e.Kind {
	case KindModel:
		e.decoded = decoded[ModelPrice](e.Value)
	case KindMarkups:
		e.decoded = decoded[Markups](e.Value)
	case KindWeights:
		e.decoded = decoded[Weights](e.Value)
	case KindRate:
		e.decoded = decoded[Rate](e.Value)
	}
	return e
}

func decoded[T any](raw []byte) any {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

// value is what an entry says.
func value[T any](e Entry) (v T, err error) {
	if v, ok := e.decoded.(T); ok {
		return v, nil
	}
	if err := json.Unmarshal(e.Value, &v); err != nil {
		return v, fmt.Errorf("price book: %s %s: %w", e.Kind, e.Name, err)
	}
	return v, nil
}

// holds is what the entry says that holds at a moment; ErrNoPrice when none does.
func holds[T any](b Book, kind Kind, name string, at time.Time) (v T, err error) {
	e, ok := b.At(kind, name, at)
	if !ok {
		return v, fmt.Errorf("%w: %s %s at %s", ErrNoPrice, kind, name, at.UTC().Format(time.RFC3339))
	}
	return value[T](e)
}
