package theme

// dark is for terminals with a dark background.
var dark = Theme{
	Name: "dark", Dim: "38;5;246", Line: "38;5;240", Focus: "38;5;111", Bar: "38;5;249", Chosen: "1;38;5;231;48;5;24",
	Band: "48;5;235", Ground: "48;5;234", AddedRow: "48;5;22", RemovedRow: "48;5;52",
	AddedWord: "48;5;29", RemovedWord: "48;5;88", Danger: "1;38;5;231;48;5;124",
	Person: "38;5;111", Program: "", Good: "38;5;79", Warn: "38;5;215", Bad: "38;5;210",
	Added: "38;5;79", Removed: "38;5;210", Hunk: "38;5;111", Found: "30;48;5;221",
	Heading: "1", Code: "38;5;180", Link: "4;38;5;111", Quote: "3;38;5;249",
	Keyword: "38;5;147", String: "38;5;114", Number: "38;5;216", Comment: "38;5;246", Symbol: "",
	Seats: []Ink{"38;5;80", "38;5;114", "38;5;176", "38;5;215", "38;5;111", "38;5;186", "38;5;210", "38;5;151"},
}

// light is for terminals with a light background.
var light = Theme{
	Name: "light", Dim: "38;5;242", Line: "38;5;250", Focus: "38;5;26", Bar: "38;5;240", Chosen: "1;38;5;16;48;5;153",
	Band: "48;5;255", Ground: "48;5;255", AddedRow: "48;5;194", RemovedRow: "48;5;224",
	AddedWord: "48;5;157", RemovedWord: "48;5;217", Danger: "1;38;5;231;48;5;124",
	Person: "38;5;26", Program: "", Good: "38;5;29", Warn: "38;5;94", Bad: "38;5;124",
	Added: "38;5;29", Removed: "38;5;124", Hunk: "38;5;26", Found: "30;48;5;220",
	Heading: "1", Code: "38;5;94", Link: "4;38;5;26", Quote: "3;38;5;240",
	Keyword: "38;5;97", String: "38;5;28", Number: "38;5;130", Comment: "38;5;242", Symbol: "",
	Seats: []Ink{"38;5;30", "38;5;28", "38;5;90", "38;5;130", "38;5;26", "38;5;94", "38;5;161", "38;5;66"},
}

// contrast uses the sixteen colours at their brightest, and attributes.
var contrast = Theme{
	Name: "contrast", Dim: "37", Line: "97", Focus: "1;93", Bar: "97", Chosen: "1;30;103", Danger: "1;30;101",
	Person: "1;96", Program: "97", Good: "1;92", Warn: "1;93", Bad: "1;91",
	Added: "1;92", Removed: "1;91", Hunk: "1;96", Found: "1;30;103",
	Heading: "1;97", Code: "93", Link: "4;96", Quote: "3;97",
	Keyword: "1;95", String: "92", Number: "93", Comment: "37", Symbol: "96",
	Seats: []Ink{"1;96", "1;92", "1;95", "1;93", "1;94", "1;97", "36", "33"},
}

// none uses no colour: weight, underline and reverse alone.
var none = Theme{
	Name: "none", Dim: Faint, Line: Faint, Focus: Bold, Chosen: Reverse, Danger: Reverse,
	Person: Bold, Program: "", Good: "", Warn: Bold, Bad: Bold,
	Added: Bold, Removed: Faint, Hunk: Underline, Found: Reverse,
	Heading: Bold, Code: Bold, Link: Underline, Quote: Italic,
	Keyword: Bold, String: "", Number: "", Comment: Faint, Symbol: "",
}

// Auto is the theme that is dark or light like the terminal.
const Auto = "auto"

// Choices returns what a person can choose: the themes by name, and Auto.
func Choices() []string { return append(Names(), Auto) }
