package credential

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"

	views "gatehouse/views/portal/credential"
)

// bind answers POST /app/credentials/:name/bind: where the secret may be used from now on. The script signs it.
func (p *Pages) bind(c echo.Context) error {
	err := p.bindPlaces(c)
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showOne(c, http.StatusUnprocessableEntity, views.Props{Problems: web.ProblemsAt("bindings", f)})
	}
	return p.changed(c, change{"#bindings", "credential.now_bound"}, err)
}

func (p *Pages) bindPlaces(c echo.Context) error {
	places, err := bindingsOf(c.FormValue("bindings"))
	if err != nil {
		return err
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	_, err = p.Credentials.Bind(c.Request().Context(), frame.Customer(c), wire.SecretBind{
		Name: c.Param("name"), Bindings: places, BaseHash: c.FormValue("base"), Signature: sig, By: inbox.Decider(c),
	})
	return err
}

// bindingProps writes places as lines that bindingsOf reads.
func bindingProps(all []wire.SecretBinding) []views.BindingProps {
	out := make([]views.BindingProps, 0, len(all))
	for _, b := range all {
		out = append(out, views.BindingProps{Text: bindingLine(b)})
	}
	return out
}

// bindingLine is one place: tool, then the origin where there is one, then header or field.
func bindingLine(b wire.SecretBinding) string {
	words := []string{b.Tool}
	if b.Host != "" {
		words = append(words, originLine(b))
	}
	switch {
	case b.Header != "":
		words = append(words, "header", b.Header)
	case b.Field != "":
		words = append(words, "field", b.Field)
	}
	return strings.Join(words, " ")
}

func originLine(b wire.SecretBinding) string {
	if b.Port != 0 && b.Port != ports[b.Scheme] {
		return b.Scheme + "://" + net.JoinHostPort(b.Host, strconv.Itoa(b.Port))
	}
	if strings.Contains(b.Host, ":") {
		return b.Scheme + "://[" + b.Host + "]"
	}
	return b.Scheme + "://" + b.Host
}

// ports are those that an origin need not name.
var ports = map[string]int{"https": 443, "http": 80}

// bindingsOf reads places, one a line.
func bindingsOf(text string) ([]wire.SecretBinding, error) {
	out := []wire.SecretBinding{}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		b, err := bindingOf(strings.Fields(line))
		if err != nil {
			return nil, fault.Bad(map[string]string{"bindings": fmt.Sprintf("Line %d: %s.", i+1, err)})
		}
		out = append(out, b)
	}
	return out, nil
}

func bindingOf(words []string) (wire.SecretBinding, error) {
	b := wire.SecretBinding{Tool: words[0]}
	rest := words[1:]
	if len(rest) > 0 && strings.Contains(rest[0], "://") {
		if err := originOf(rest[0], &b); err != nil {
			return b, err
		}
		rest = rest[1:]
	}
	switch {
	case len(rest) == 2 && rest[0] == "header":
		b.Header = rest[1]
	case len(rest) == 2 && rest[0] == "field":
		b.Field = rest[1]
	default:
		return b, fmt.Errorf("it has to end in a header or a field, as in: http_request https://blog.example.com header Authorization")
	}
	return b, nil
}

// originForm is a plain destination. The script reads it by the same form, so that what it signs is what is read here.
var originForm = regexp.MustCompile(`^(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?/?$`)

func originOf(text string, b *wire.SecretBinding) error {
	bad := fmt.Errorf("%q is no plain destination, as https://blog.example.com is", text)
	m := originForm.FindStringSubmatch(strings.ToLower(text))
	if m == nil {
		return bad
	}
	b.Scheme, b.Host, b.Port = m[1], strings.Trim(m[2], "[]"), ports[m[1]]
	if m[3] != "" {
		b.Port, _ = strconv.Atoi(m[3]) // five digits always are a number
	}
	if b.Port < 1 || b.Port > 65535 {
		return bad
	}
	return nil
}

// shapeOf reads what a value that the server makes has to look like.
func shapeOf(c echo.Context) wire.SecretConstraints {
	s := wire.SecretConstraints{Classes: []string{"lower", "upper", "digit"}}
	if n, err := strconv.Atoi(c.FormValue("length")); err == nil {
		s.Length = n // the server says which lengths it makes
	}
	if c.FormValue("symbols") != "" {
		s.Classes = append(s.Classes, "symbol")
	}
	return s
}
