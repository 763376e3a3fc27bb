package config

// longestMessage is how much is told of one mistake, in characters: a minified file has one line of any length.
const longestMessage = 500

// cut shortens a text to a number of characters and says that it did.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most]) + "..."
}
