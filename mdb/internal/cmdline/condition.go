package cmdline

import (
	"regexp"
	"strconv"
	"strings"
)

// Pattern compiles a regular expression from words, with optional slashes around it. It ignores case if there are no upper case letters.
func Pattern(words ...string) (*regexp.Regexp, error) {
	text := strings.Join(words, " ")
	if len(text) > 1 && text[0] == '/' && text[len(text)-1] == '/' {
		text = strings.ReplaceAll(text[1:len(text)-1], `\/`, "/")
	}
	if strings.ToLower(text) == text {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, Usagef("%v", err)
	}
	return re, nil
}

// Condition parses a condition on a field's text; nil means any change.
func Condition(words []string) (func(string) bool, error) {
	if len(words) == 0 || len(words) == 1 && words[0] == "changes" {
		return nil, nil
	}
	op, value := words[0], strings.Join(words[1:], " ")
	for _, o := range []string{"==", "!=", "<=", ">=", "<", ">", "~", "="} {
		if rest, ok := strings.CutPrefix(op, o); ok {
			op, value = o, strings.TrimSpace(rest+" "+value)
			break
		}
	}
	if value == "" {
		return nil, Usagef("%q lacks a value", strings.Join(words, " "))
	}
	switch op {
	case "==", "=":
		return func(v string) bool { return equal(v, value) }, nil
	case "!=":
		return func(v string) bool { return !equal(v, value) }, nil
	case "~":
		re, err := Pattern(value)
		if err != nil {
			return nil, err
		}
		return re.MatchString, nil
	case "<", "<=", ">", ">=":
		want, ok := number(value)
		if !ok {
			return nil, Usagef("%q is not a number", value)
		}
		return func(v string) bool {
			x, ok := number(v)
			switch op {
			case "<":
				return ok && x < want
			case "<=":
				return ok && x <= want
			case ">":
				return ok && x > want
			}
			return ok && x >= want
		}, nil
	}
	return nil, Usagef("%q is not a condition: changes, or == != < <= > >= ~ and a value", strings.Join(words, " "))
}

// equal compares a field's text with the text in a condition: "joined(2)" is equal to "joined" and "2".
func equal(text, want string) bool {
	if text == want || text == `"`+want+`"` {
		return true
	}
	name, inside, ok := strings.Cut(text, "(")
	return ok && strings.HasSuffix(inside, ")") && (name == want || inside[:len(inside)-1] == want)
}

// number parses a number, which may be in parentheses after a name.
func number(text string) (float64, bool) {
	if _, inside, ok := strings.Cut(text, "("); ok {
		text = strings.TrimSuffix(inside, ")")
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}
