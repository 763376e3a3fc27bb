package nfs

// Number is a counter or a setting as the kernel prints it, below 2^63. A number that is missing, or that cannot be
// right, is Absent: it is never taken for zero.
type Number uint64

// Absent is the missing number. Old kernels let some time sums go below zero and print them as 2^64 - x, so nothing
// from 2^63 on is a real value and the mark cannot be met by one.
const Absent Number = 1 << 63

// maxDigits is the most digits that a number below 2^64 surely fits in.
const maxDigits = 19

// Known tells whether there is a number.
func (n Number) Known() bool { return n < Absent }

// sum adds what is known of numbers; it is unknown while nothing was.
type sum struct {
	value float64
	known bool
}

func (s *sum) add(n Number) {
	if n.Known() {
		s.value += float64(n)
		s.known = true
	}
}

func (s *sum) join(other sum) {
	s.value += other.value
	s.known = s.known || other.known
}

// parseNumber reads a whole word as a number. Anything else than decimal digits below 2^63 is Absent.
func parseNumber[T ~string | ~[]byte](word T) Number {
	if len(word) == 0 || len(word) > maxDigits {
		return Absent
	}
	n := Number(0)
	for i := range len(word) {
		digit := word[i] - '0'
		if digit > 9 {
			return Absent
		}
		n = n*10 + Number(digit)
	}
	if !n.Known() {
		return Absent
	}
	return n
}

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
		if i == start || i-start > maxDigits || !n.Known() || i < len(line) && !isBlank(line[i]) {
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
