package policy

import (
	"encoding/json"
	"strings"

	"gatehouse/agentd/lazyre"
)

// FileSearchArgs are the arguments of the tool file_search.
type FileSearchArgs struct {
	Path  string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The folder to search\\, relative to the data folder."`
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000,description=The text to look for."`
}

// FileEditArgs are the arguments of the tool file_edit.
type FileEditArgs struct {
	Path  string     `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file to change\\, relative to the data folder."`
	Edits []FileEdit `json:"edits" jsonschema:"minItems=1,maxItems=100,description=What to replace by what."`
}

// FileEdit is one change of a file: old stands in it exactly once.
type FileEdit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// WebFetchArgs are the arguments of the tool web_fetch.
type WebFetchArgs struct {
	URL string `json:"url" jsonschema:"minLength=1,maxLength=8192,description=The page to read."`
}

// WebSearchArgs are the arguments of the tool web_search.
type WebSearchArgs struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000,description=What to search for."`
}

// GetCredentialArgs are the arguments of the tool get_credential.
type GetCredentialArgs struct {
	Service string `json:"service" jsonschema:"minLength=1,maxLength=64"`
	Key     string `json:"key" jsonschema:"minLength=1,maxLength=64"`
}

// GenerateCredentialArgs are the arguments of the tool generate_credential.
type GenerateCredentialArgs struct {
	Service     string          `json:"service" jsonschema:"minLength=1,maxLength=64"`
	Key         string          `json:"key" jsonschema:"minLength=1,maxLength=64"`
	Constraints json.RawMessage `json:"constraints,omitempty"`
}

// RotateCredentialArgs are the arguments of the tool rotate_credential.
type RotateCredentialArgs struct {
	SecretID string `json:"secret_id" jsonschema:"minLength=1,maxLength=128"`
}

// FileSearch classifies looking for a text in files.
func FileSearch(a FileSearchArgs, env Env) Class {
	c := inRoot("files.folder.search", a.Path, env, Green, "Search ")
	if c.Tier == Green && strings.ContainsFunc(a.Query, badRune) {
		return Refuse(c.Action, "The text to look for cannot be seen.")
	}
	return c
}

// FileEditing classifies changing parts of a file: as writing it.
func FileEditing(a FileEditArgs, env Env) Class {
	size := 0
	for _, e := range a.Edits {
		if e.Old == "" {
			return Refuse("files.file.edit", "An edit replaces nothing.")
		}
		size += len(e.New)
	}
	if len(a.Edits) == 0 {
		return Refuse("files.file.edit", "There is no edit.")
	}
	c := FileWrite(a.Path, size, env)
	c.Action = "files.file.edit"
	return c
}

// WebFetch classifies reading a page: a page of a host that nobody named learns that somebody asked, and what for.
func WebFetch(a WebFetchArgs, env Env) Class {
	return told("web.page.read", "Read "+visible(a.URL), Reach(a.URL, env))
}

// WebSearch classifies a search: its text leaves for a search engine, so it is no plain reading.
func WebSearch(a WebSearchArgs, _ Env) Class {
	const action = "web.search.run"
	if strings.ContainsFunc(a.Query, badRune) || strings.TrimSpace(a.Query) == "" {
		return Refuse(action, "The text to search for cannot be read.")
	}
	c := Class{Tier: Green, Action: action, Says: "Search the web for " + visible(a.Query)}
	if len(a.Query) > 200 || carries.MatchString(a.Query) {
		c.Tier, c.Why = Yellow, "The text that leaves is long, or does not look like words."
	}
	return c
}

// carries matches what is no word: a long run of letters and digits may carry data.
var carries = lazyre.MustCompile(`[A-Za-z0-9+/=_-]{24,}|[0-9]{9,}`)

func told(action, says string, c Class) Class {
	if c.Tier == Forbidden {
		return Refuse(action, c.Why)
	}
	c.Action, c.Says = action, says
	return c
}

var credentialName = lazyre.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

// GetCredential classifies asking for a secret: what comes back is a reference, never the value.
func GetCredential(a GetCredentialArgs, _ Env) Class {
	return credential("secrets.secret.refer", Green, "Refer to the secret ", a.Service, a.Key)
}

// GenerateCredential classifies making a secret that nobody sees.
func GenerateCredential(a GenerateCredentialArgs, _ Env) Class {
	if len(a.Constraints) > 4096 {
		return Refuse("secrets.secret.generate", "The constraints are too long.")
	}
	return credential("secrets.secret.generate", Yellow, "Make a new secret ", a.Service, a.Key)
}

// RotateCredential classifies replacing a secret: whoever uses the old one is locked out.
func RotateCredential(a RotateCredentialArgs, _ Env) Class {
	const action = "secrets.secret.rotate"
	if len(a.SecretID) > 128 || strings.Trim(a.SecretID, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != "" || a.SecretID == "" {
		return Refuse(action, "That is not the name of a secret.")
	}
	return Class{Tier: Red, Action: action, Says: "Replace the secret " + a.SecretID, Why: "The old value stops working."}
}

func credential(action string, tier Tier, says, service, key string) Class {
	if !credentialName.MatchString(service) || !credentialName.MatchString(key) {
		return Refuse(action, "That is not the name of a secret.")
	}
	return Class{Tier: tier, Action: action, Says: says + service + "." + key}
}
