package devmail

// ListPath lists the caught mails.
const ListPath = "/dev/mail"

// MailPath is one mail.
func MailPath(id string) string { return ListPath + "/" + id }

// HTMLPath is the HTML part of a mail, alone and without any rights.
func HTMLPath(id string) string { return MailPath(id) + "/html" }

// RawPath is a mail as it came.
func RawPath(id string) string { return MailPath(id) + "/raw" }
