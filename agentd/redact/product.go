package redact

import (
	"bytes"
	"strings"
)

// products are sold, or counted, by a number behind their name.
var products = set(`windows office exchange server sharepoint outlook excel powerpoint visio teams team macos mac osx ios ipados android iphone ipad galaxy pixel ubuntu debian
	centos fedora rhel rocky alma suse opensuse mint java jdk python php node nodejs ruby perl rust golang net dotnet angular vue react swift kotlin chrome firefox safari edge
	opera photoshop acrobat autocad solidworks matlab sqlserver sql oracle postgres postgresql mysql mariadb mongodb redis elastic kafka spark hadoop kubernetes docker
	terraform ansible gpt claude llama gemini mistral covid agenda expo euro formula studio unity unreal minecraft fifa version release update build page room raum zimmer seite
	level stage step phase part teil kapitel chapter section figure table version gate terminal platform line bus tram route highway flight web layer area channel kanal
	ticket issue bug case task item boeing airbus log4shell http https sha md5 utf base aes rsa ipv tls ssl oauth vitamin omega win msoffice libreoffice openoffice typo joomla drupal wordpress magento`)

// product says whether b is such a name with its number.
func product(b []byte) bool {
	n := 0
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	rest := bytes.TrimRight(b[n:], "!?")
	return n > 0 && isDigits(bytes.ReplaceAll(bytes.TrimLeft(rest, "-_."), []byte("."), nil)) && products[strings.ToLower(string(b[:n]))]
}

// machineWords are parts of the names of machines and systems.
var machineWords = set(`srv server host node web app db sql vm pc nas prod test dev stage staging win windows ubuntu debian centos office
	office365 exchange cluster worker master site page line port version update build`)

// measure says whether b is a number and few letters behind it, or one letter and a number: 12px, 500MB, v2.1, H264.
func measure(b []byte) bool {
	n := digitsAt(b, 0)
	if n > 0 && len(b)-n <= 3 && letters(b[n:]) {
		return true
	}
	dot := bytes.LastIndexByte(b, '.')
	return dot > 0 && !bytes.ContainsAny(b, "!#$%&*+?@~^=") && !(isDigits(b[dot+1:]) && dot >= 4 && letters(b[:dot])) && len(b)-dot <= 4
}
