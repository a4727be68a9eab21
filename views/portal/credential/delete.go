package credential

import (
	"encoding/json"
	"strconv"

	"github.com/a-h/templ"
)

// DeleteProps is a secret that is about to be deleted.
type DeleteProps struct {
	Name     string
	Bindings []BindingProps // where it is used now
	Problem  string         // why it was not deleted

	ServerID      string // what is signed is bound to these two
	ConfigVersion int64
}

// signs tells the script what the form would have signed.
func (p DeleteProps) signs() templ.Attributes {
	body, _ := json.Marshal(map[string]string{"name": p.Name}) // a string always has JSON
	return templ.Attributes{
		"data-change": "secret.delete", "data-change-body": string(body), "data-server": p.ServerID,
		"data-version": strconv.FormatInt(p.ConfigVersion, 10),
	}
}
