package httprequest

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault/secret"
)

// request is a call with everything that the registry says about it.
type request struct {
	in   policy.HTTPArgs
	tool registry.Tool
	to   registry.Origin
	url  *url.URL
	body body
}

// outgoing is a request with its secrets, and those secrets, to be taken out of the answer.
type outgoing struct {
	*http.Request
	used []secret.Value
}

// read finds where the request goes. It is pure but for the registry.
func (t *Tool) read(args []byte) (*request, error) {
	in, err := tool.Parse[policy.HTTPArgs](args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in.Method = strings.ToUpper(in.Method)
	r := &request{in: in}
	if decoded, err := url.QueryUnescape(in.URL); err != nil || strings.Contains(in.URL+decoded, "SECRET_REF") {
		return nil, tool.Refuse("A secret never stands in an address. Nothing was sent.")
	}
	if err := t.place(r); err != nil {
		return nil, err
	}
	r.body, err = readBody(in.Body)
	return r, err
}

// place finds the tool and the origin: a path alone goes to the home of the tool that is named.
func (t *Tool) place(r *request) error {
	raw := r.in.URL
	all, err := t.tools.All()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") {
		named, ok, err := t.tools.Find(r.in.Tool)
		if err != nil || !ok {
			return tool.Refuse("There is no registered tool %.64q.", r.in.Tool)
		}
		raw = named.Home().String() + raw
	}
	o, u, err := registry.OriginOf(raw)
	if err != nil {
		return tool.Refuse("The address cannot be read in one way only.")
	}
	for _, known := range all {
		if known.Has(o) && (r.in.Tool == "" || strings.EqualFold(r.in.Tool, known.Name)) {
			r.tool, r.to, r.url = known, o, u
			return nil
		}
	}
	return tool.Refuse("This destination is not registered. Nothing was sent.")
}

// use is a place in this request.
func (r *request) use(name, header, field string) gate.Use {
	return gate.Use{Name: name, Scheme: r.to.Scheme, Host: r.to.Host, Port: r.to.Port, Header: header, Field: field}
}

// uses lists where secrets would stand.
func (r *request) uses() ([]gate.Use, error) {
	var all []gate.Use
	if ref := r.tool.Auth.Ref; ref != "" {
		all = append(all, r.use(ref, http.CanonicalHeaderKey(r.tool.Auth.Header), ""))
	}
	for _, f := range r.body.refs {
		all = append(all, r.use(f.name, "", f.field))
	}
	return all, nil
}

// build makes the request with its secrets in place.
func (r *request) build(ctx context.Context, s gate.Secrets) (*outgoing, error) {
	out := &outgoing{}
	content, err := r.body.fill(func(text, field string) (string, error) {
		v, err := s.Expand(ctx, text, r.use("", "", field))
		return v.Reveal(), err
	})
	if err != nil {
		return nil, err
	}
	out.Request, err = http.NewRequestWithContext(ctx, r.in.Method, r.url.String(), strings.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	out.Header.Set("User-Agent", "Gatehouse")
	out.Header.Set("Accept", "application/json, */*;q=0.5")
	if content != "" {
		out.Header.Set("Content-Type", r.body.kind)
	}
	if err := r.signIn(ctx, s, out); err != nil {
		return nil, err
	}
	return out, r.note(ctx, s, out)
}

// signIn sets the header that the registry names.
func (r *request) signIn(ctx context.Context, s gate.Secrets, out *outgoing) error {
	a := r.tool.Auth
	if a.Ref == "" {
		return nil
	}
	v, err := s.Value(ctx, r.use(a.Ref, http.CanonicalHeaderKey(a.Header), ""))
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	text := v.Reveal()
	if a.Type == "basic" {
		text = base64.StdEncoding.EncodeToString([]byte(a.User + ":" + text))
		out.used = append(out.used, secret.New(text))
	}
	if strings.ContainsAny(text, "\r\n") {
		return tool.Refuse("The secret of this sign-in does not fit into a header. Nothing was sent.")
	}
	out.used = append(out.used, v)
	out.Header.Set(a.Header, a.Prefix+text)
	return nil
}

// note keeps the values that stand in the body, for the answer.
func (r *request) note(ctx context.Context, s gate.Secrets, out *outgoing) error {
	for _, f := range r.body.refs {
		v, err := s.Value(ctx, r.use(f.name, "", f.field))
		if err != nil {
			return err
		}
		out.used = append(out.used, v)
	}
	return nil
}
