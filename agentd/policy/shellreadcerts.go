package policy

import "gatehouse/agentd/lazyre"

// readsCertificates print certificates, requests and the marks of keys.
var readsCertificates = map[string][]readForm{
	"openssl": {
		{"x509", grammar{tier: Green, never: opensslAddress, certs: true, raise: map[string]Tier{"-out": Red, "-signkey": Red, "-CA": Red, "-req": Red, "-key": Red}, word: opensslWords}},
		{"crl|req|pkcs7|verify", grammar{tier: Green, never: opensslAddress, certs: true, raise: map[string]Tier{"-out": Red, "-key": Red, "-new": Red, "-newkey": Red, "-keyout": Red}, word: opensslWords}},
		{"asn1parse", grammar{tier: Green, never: opensslAddress, word: opensslWords}}, // it takes anything apart, keys too
		{"version|list|ciphers", grammar{tier: Green, short: "avbodpfer", words: map[string]Tier{}}},
		{"rand -hex|rand -base64", grammar{tier: Green, text: true, digitsOnly: true}},
		{"dgst|sha256|md5", grammar{tier: Green, never: opensslAddress, word: words("-sha1 -sha256 -sha384 -sha512 -md5 -r -hex -c")}},
	},
	"certbot":    {{"certificates", named("d:", "cert-name= domain=")}},
	"ssh-keygen": {{"-l|-lf|-lvf|-vlf|-E md5 -lf|-E sha256 -lf", grammar{tier: Green, short: "lvf:"}}},
}

// opensslAddress is an address, or what the name of a file is taken for one: openssl fetches from there.
var opensslAddress = lazyre.MustCompile(`(?i)^[a-z][a-z0-9+.-]*:`)

var opensslWords = words(`-in -noout -text -dates -subject -issuer -enddate -startdate -serial -fingerprint -sha256 -sha1 -pubkey -purpose -email -modulus -hash
	-subject_hash -issuer_hash -ext -inform -PEM -DER pem der -checkend -checkhost -nameopt -certopt subjectAltName -verify -print_certs -i -dump -nextupdate -lastupdate -CAfile -untrusted -crl_check -verbose`)
