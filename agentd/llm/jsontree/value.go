package jsontree

// Kind says what a Value is.
type Kind byte

// The kinds of JSON.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// Value is one JSON value. Members keep the order in which they came.
type Value struct {
	Kind    Kind
	Text    string // of a String, decoded; of a Number, as it was written
	Items   []*Value
	Members []Member
}

// Member is one pair of an object.
type Member struct {
	Key   string
	Value *Value
}

// Of makes a string.
func Of(s string) *Value { return &Value{Kind: String, Text: s} }

// Get gives the member of an object by its key, nil when there is none.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Key == key {
			return v.Members[i].Value
		}
	}
	return nil
}

// Str is the text of the string member key, empty when there is none.
func (v *Value) Str(key string) string {
	if m := v.Get(key); m != nil && m.Kind == String {
		return m.Text
	}
	return ""
}

// Set replaces the member key, or adds it at the end.
func (v *Value) Set(key string, to *Value) {
	for i := range v.Members {
		if v.Members[i].Key == key {
			v.Members[i].Value = to
			return
		}
	}
	v.Members = append(v.Members, Member{key, to})
}

// With is a copy of an object in which the member key is another. The members themselves are shared.
func (v *Value) With(key string, to *Value) *Value {
	next := &Value{Kind: v.Kind, Members: append([]Member(nil), v.Members...)}
	next.Set(key, to)
	return next
}
