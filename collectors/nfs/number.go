package nfs

import "github.com/nasight/nasight/collectors/internal/kernel"

// Number is a counter or a setting as the kernel prints it.
type Number = kernel.Number

// Absent is the missing number.
const Absent = kernel.Absent

type sum = kernel.Sum

// fillNumbers reads the words of a line into values and marks those that the line is too short for as Absent. Further
// words are left alone. It returns how many words it read and how many of these were no numbers.
func fillNumbers(line []byte, values []Number) (count, odd int) {
	for i := 0; i < len(line) && count < len(values); {
		if isBlank(line[i]) {
			i++
			continue
		}
		start, n := i, Number(0)
		for ; i < len(line); i++ {
			digit := line[i] - '0'
			if digit > 9 {
				break
			}
			n = n*10 + Number(digit)
		}
		if i == start || i-start > kernel.MaxDigits || !n.Known() || i < len(line) && !isBlank(line[i]) {
			i, n = wordEnd(line, i), Absent
			odd++
		}
		values[count] = n
		count++
	}
	for i := count; i < len(values); i++ {
		values[i] = Absent
	}
	return count, odd
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func wordEnd(line []byte, i int) int {
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	return i
}

func trimBlanks(line []byte) []byte {
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

// cutWord splits the first word off a line that does not begin with a blank.
func cutWord(line []byte) (word, rest []byte) {
	end := wordEnd(line, 0)
	return line[:end], line[end:]
}
