package tool

import (
	"encoding/json"

	"gatehouse/agentd/policy/strict"
)

// ErrArgs says that arguments do not fit their type. Its text is fit for the model.
var ErrArgs = strict.ErrArgs

// Parse reads arguments strictly: one JSON object in valid UTF-8, no field twice, none unknown (names are compared
// exactly, not regardless of case), none missing, null nowhere.
func Parse[T any](args json.RawMessage) (T, error) { return strict.Parse[T](args) }
