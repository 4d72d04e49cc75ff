package theme

// dark is for terminals with a dark ground.
var dark = Theme{
	Name: "dark", Dim: "38;5;245", Line: "38;5;240", Focus: "38;5;75", Bar: "38;5;252;48;5;236", Chosen: "1;38;5;231;48;5;24",
	Person: "1;38;5;117", Program: "38;5;179", Good: "38;5;114", Warn: "38;5;221", Bad: "38;5;203",
	Added: "38;5;114", Removed: "38;5;203", Hunk: "38;5;75", Found: "30;48;5;221",
	Heading: "1;38;5;117", Code: "38;5;180", Link: "4;38;5;75", Quote: "3;38;5;248",
	Keyword: "38;5;176", String: "38;5;150", Number: "38;5;215", Comment: "3;38;5;243", Symbol: "38;5;117",
	Seats: []Ink{"38;5;80", "38;5;114", "38;5;176", "38;5;215", "38;5;111", "38;5;186", "38;5;210", "38;5;151"},
}

// light is for terminals with a light ground.
var light = Theme{
	Name: "light", Dim: "38;5;242", Line: "38;5;250", Focus: "38;5;26", Bar: "38;5;236;48;5;254", Chosen: "1;38;5;231;48;5;25",
	Person: "1;38;5;25", Program: "38;5;94", Good: "38;5;28", Warn: "38;5;130", Bad: "38;5;160",
	Added: "38;5;28", Removed: "38;5;160", Hunk: "38;5;26", Found: "30;48;5;220",
	Heading: "1;38;5;25", Code: "38;5;94", Link: "4;38;5;26", Quote: "3;38;5;240",
	Keyword: "38;5;90", String: "38;5;28", Number: "38;5;130", Comment: "3;38;5;244", Symbol: "38;5;25",
	Seats: []Ink{"38;5;30", "38;5;28", "38;5;90", "38;5;130", "38;5;26", "38;5;94", "38;5;161", "38;5;66"},
}

// contrast uses the sixteen colours at their brightest, and attributes.
var contrast = Theme{
	Name: "contrast", Dim: "37", Line: "97", Focus: "1;93", Bar: "1;30;107", Chosen: "1;30;103",
	Person: "1;96", Program: "1;93", Good: "1;92", Warn: "1;93", Bad: "1;91",
	Added: "1;92", Removed: "1;91", Hunk: "1;96", Found: "1;30;103",
	Heading: "1;4;97", Code: "93", Link: "4;96", Quote: "3;97",
	Keyword: "1;95", String: "92", Number: "93", Comment: "37", Symbol: "96",
	Seats: []Ink{"1;96", "1;92", "1;95", "1;93", "1;94", "1;97", "36", "33"},
}

// none uses no colour: weight, underline and reverse alone.
var none = Theme{
	Name: "none", Dim: Faint, Line: Faint, Focus: Bold, Chosen: Reverse,
	Person: Bold, Program: "3", Good: "", Warn: Bold, Bad: "1;7",
	Added: Bold, Removed: Faint, Hunk: Underline, Found: Reverse,
	Heading: "1;4", Code: Bold, Link: Underline, Quote: Italic,
	Keyword: Bold, String: "", Number: "", Comment: Faint, Symbol: "",
}

// Auto stands for the theme that is dark or light as the terminal is.
const Auto = "auto"

// Choices are what a person can choose: the themes by name, and Auto.
func Choices() []string { return append(Names(), Auto) }
