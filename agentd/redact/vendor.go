package redact

import (
	"bytes"
	"slices"
	"strings"
)

// vendorForm is what the credentials of a vendor look like when nothing but the name before them tells whose they are.
type vendorForm struct {
	names string // in small letters
	class string // "hex", "low" letters and digits, "sign" also = _ and -, "digit", "uuid", "any"
	min   int
	max   int
}

var vendorForms = []vendorForm{
	{"adafruit", "sign", 32, 32},
	{"adobe", "hex", 32, 32},
	{"airtable", "low", 17, 17},
	{"algolia", "low", 32, 32},
	{"alibaba", "low", 30, 30},
	{"asana", "digit", 16, 16},
	{"asana", "low", 32, 32},
	{"atlassian confluence jira", "low", 24, 24},
	{"beamer", "sign", 46, 46},
	{"bitbucket", "low", 32, 32},
	{"bitbucket", "sign", 64, 64},
	{"bittrex", "low", 32, 32},
	{"meraki", "hex", 40, 40},
	{"cloudflare", "sign", 40, 40},
	{"cloudflare", "hex", 37, 37},
	{"codecov", "low", 32, 32},
	{"cohere co_api_key", "low", 40, 40},
	{"coinbase", "sign", 64, 64},
	{"confluent", "low", 16, 16},
	{"confluent", "low", 64, 64},
	{"contentful", "sign", 43, 43},
	{"datadog", "low", 32, 40},
	{"discord", "hex", 64, 64},
	{"discord", "digit", 17, 19},
	{"discord", "sign", 32, 32},
	{"discord", "any", 58, 90},
	{"droneci", "low", 32, 32},
	{"dropbox", "low", 15, 15},
	{"dropbox", "any", 60, 160},
	{"etsy", "low", 24, 24},
	{"facebook", "hex", 32, 32},
	{"fastly", "sign", 32, 32},
	{"finicity", "hex", 32, 32},
	{"finicity", "low", 20, 20},
	{"finnhub", "low", 20, 20},
	{"flickr", "low", 32, 32},
	{"freshbooks", "low", 64, 64},
	{"gitter", "sign", 40, 40},
	{"gocardless", "any", 45, 45},
	{"heroku", "uuid", 36, 36},
	{"hubspot", "uuid", 36, 36},
	{"intercom", "sign", 60, 60},
	{"jfrog artifactory bintray xray", "low", 64, 73},
	{"kraken", "any", 80, 90},
	{"kucoin", "hex", 24, 24},
	{"kucoin", "uuid", 36, 36},
	{"launchdarkly", "sign", 40, 40},
	{"linear", "hex", 32, 32},
	{"linkedin linked_in linked-in", "low", 14, 16},
	{"looker", "low", 20, 24},
	{"mailchimp", "any", 36, 37},
	{"mailgun", "any", 50, 50},
	{"mailgun", "any", 49, 49},
	{"mapbox", "any", 80, 90},
	{"mattermost", "low", 26, 26},
	{"messagebird message_bird message-bird", "low", 25, 25},
	{"messagebird message_bird message-bird", "uuid", 36, 36},
	{"netlify", "sign", 40, 46},
	{"new-relic newrelic new_relic", "low", 64, 64},
	{"new-relic newrelic new_relic", "any", 24, 40},
	{"nytimes new-york-times newyorktimes", "sign", 32, 32},
	{"okta", "sign", 42, 42},
	{"plaid", "low", 24, 24},
	{"plaid", "low", 30, 30},
	{"private_ai private-ai privateai", "low", 32, 32},
	{"rapidapi", "sign", 50, 50},
	{"sendbird", "uuid", 36, 36},
	{"sendbird", "hex", 40, 40},
	{"sentry", "hex", 64, 64},
	{"contribsys__com", "pair", 17, 17},
	{"snyk", "uuid", 36, 36},
	{"sonar", "sign", 40, 44},
	{"squarespace", "uuid", 36, 36},
	{"sumo", "low", 14, 14},
	{"sumo", "low", 64, 64},
	{"telegr", "any", 40, 51},
	{"travis", "low", 22, 22},
	{"twitch", "low", 30, 30},
	{"twitter", "low", 25, 25},
	{"twitter", "low", 45, 45},
	{"twitter", "low", 50, 50},
	{"twitter", "any", 36, 66},
	{"twitter", "any", 102, 122},
	{"yandex", "any", 38, 200},
	{"zendesk", "low", 40, 40},
	{"sourcegraph sgp_", "hex", 40, 40},
	{"facebook", "any", 42, 60},
	{"lob_ lob-", "any", 36, 45},
	{"shodan", "low", 32, 32},
	{"pagerduty", "sign", 20, 20},
	{"opsgenie", "uuid", 36, 36},
	{"circleci", "hex", 40, 40},
	{"azure_devops azuredevops azure-devops", "low", 52, 52},
	{"bamboo", "low", 40, 44},
	{"monday", "any", 60, 400},
	{"deepl", "any", 36, 39},
	{"mistral", "low", 32, 32},
	{"giphy", "low", 32, 32},
	{"weatherapi openweather", "hex", 31, 32},
}

// vendorWords are the keywords of the table, each once with all its forms.
func vendorWords() []keyword {
	forms := map[string][]vendorForm{}
	var order []string
	for _, f := range vendorForms {
		for _, n := range strings.Fields(f.names) {
			if forms[n] == nil {
				order = append(order, n)
			}
			forms[n] = append(forms[n], f)
		}
	}
	var all []keyword
	for _, n := range order {
		all = append(all, keyword{word: n, run: vendorFinder(forms[n])})
	}
	return all
}

// vendorFinder reads what is assigned to a name with the vendor's in it.
func vendorFinder(forms []vendorForm) finder {
	return func(text []byte, i, n int, add func(span)) {
		least := 0
		if i > 0 && isLetter(text[i-1]) && (class[text[i]]&clsUpper == 0 || class[text[i-1]]&clsLower == 0) || torn(text[i:i+n]) {
			if n < longName {
				return
			}
			least = longForm // perhaps it only looks like the name
		}
		start, end := nameAround(text, i, i+n)
		for _, w := range wordsOf(slices.Concat(text[start:i], []byte("_"), text[i+n:end])) {
			if digestWords[w] || farWords[w] && w != "field" && w != "id" {
				return
			}
		}
		at := i + n
		for at < len(text) && at < i+n+24 && (isWord(text[at]) || strings.IndexByte(" \t.-", text[at]) >= 0) {
			at++
		}
		at = skipAny(text, at, 3, " \t\r\n\"'\\")
		if at >= len(text) {
			return
		}
		next, sign := operator(text, at)
		if sign == 0 && bytes.HasPrefix(text[at:], []byte("||")) {
			next, sign = at+2, '=' // a default
		}
		if sign == 0 || sign == '|' {
			return
		}
		at = skipAny(text, next, 8, "`'\"\\ \t\r\n=>")
		vendorValue(text, at, least, forms, add)
	}
}

// Of what may only look like the name of a vendor, within another word: how long the name must be, and the credential.
const (
	longName = 7
	longForm = 20
)

func vendorValue(text []byte, at, least int, forms []vendorForm, add func(span)) {
	for _, f := range forms {
		if f.min < least {
			continue
		}
		end := at
		for end < len(text) && end-at <= f.max && f.takes(text[end]) {
			end++
		}
		if k := end - at; k < f.min || k > f.max || f.class == "uuid" && !uuidAt(text[at:end]) {
			continue
		}
		if v := text[at:end]; !placeholder(v) && !(f.max == rowNumber && rowKinds[string(v[:3])]) && (hasDigit(v) && entropy(v) >= 2 || randomish(v) || f.class == "pair") {
			add(span{at, end, -1, kindVendor})
			return
		}
	}
}

// rowNumber is how long Airtable's numbers of tables and rows are, as long as its keys. They begin with what they are of.
const rowNumber = 17

var rowKinds = set(`rec tbl app viw fld usr wsp att sel`)

func (f vendorForm) takes(c byte) bool {
	switch f.class {
	case "hex", "uuid":
		return isHex(c) || c == '-' && f.class == "uuid"
	case "pair":
		return isHex(c) || c == ':'
	case "digit":
		return isDigit(c)
	case "low":
		return isLetter(c) || isDigit(c)
	case "sign":
		return isWord(c) || c == '-' || c == '='
	}
	return class[c]&clsBase64 != 0 || strings.IndexByte("=.:%~", c) >= 0
}

// torn says whether a new word begins within b, so that it only looks like a name.
func torn(b []byte) bool {
	for i := 2; i < len(b); i++ {
		if class[b[i]]&clsUpper != 0 && class[b[i-1]]&clsLower != 0 && class[b[i-2]]&clsLower != 0 && i == len(b)-1 {
			return true
		}
	}
	return false
}
