package fill

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// The limits of a table. One that is full takes 4 MB of memory.
const (
	maxTableBytes = 16 << 20
	maxReceivers  = 500_000
	maxLine       = 1 << 10
)

// maxDocNro is the largest number of a document: eleven digits, as a CUIT has.
const maxDocNro = 99_999_999_999

// Table is the IVA condition of each receiver. It does not change once it is read.
type Table struct {
	// receivers are sorted. Each is a document, as keyOf returns it, and in the lowest byte the
	// condition.
	receivers []uint64
}

const conditionBits = 8

// keyOf returns a document in one number. It is false for one that no table holds.
func keyOf(docTipo int32, docNro int64) (key uint64, ok bool) {
	if docTipo < 0 || docTipo > 99 || docNro < 0 || docNro > maxDocNro {
		return 0, false
	}
	return uint64(docTipo)<<40 | uint64(docNro), true
}

// condition returns the condition of a receiver, false for one that is not in the table.
func (t *Table) condition(docTipo int32, docNro int64) (int32, bool) {
	key, ok := keyOf(docTipo, docNro)
	if t == nil || !ok {
		return 0, false
	}
	i, found := slices.BinarySearchFunc(t.receivers, key, func(receiver, key uint64) int {
		return cmp.Compare(receiver>>conditionBits, key)
	})
	if !found {
		return 0, false
	}
	return int32(t.receivers[i] & (1<<conditionBits - 1)), true
}

// ReadTable reads a table from a file. Errors name the file and the line.
func ReadTable(path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the table: %w", err)
	}
	defer file.Close()
	t, err := parseTable(file)
	if err != nil {
		return nil, fmt.Errorf("the table %s: %w", path, err)
	}
	return t, nil
}

// errNoReceivers: a file that was cut off or confused with another must not pass for a table.
var errNoReceivers = errors.New("it has no receiver: give each a line such as 80,30500010912,1")

// parseTable reads a table. A line has DocTipo, DocNro and CondicionIVAReceptorId of a receiver, with
// commas or semicolons between them. Empty lines, and lines that begin with #, are comments.
func parseTable(r io.Reader) (*Table, error) {
	limited := &io.LimitedReader{R: r, N: maxTableBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxLine)
	var read []receiver
	number := 0
	for lines.Scan() {
		number++
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // spreadsheets write one
		}
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		packed, err := parseReceiver(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if len(read) == maxReceivers {
			return nil, fmt.Errorf("line %d: a table has at most %d receivers", number, maxReceivers)
		}
		read = append(read, receiver{packed, int32(number)})
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d is longer than %d bytes", number+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	case limited.N == 0:
		return nil, fmt.Errorf("it is larger than %d bytes", maxTableBytes)
	case len(read) == 0:
		return nil, errNoReceivers
	}
	return newTable(read)
}

// receiver is a receiver with its line.
type receiver struct {
	packed uint64
	line   int32
}

// newTable sorts the receivers. One that has two conditions is an error.
func newTable(read []receiver) (*Table, error) {
	slices.SortStableFunc(read, func(a, b receiver) int { return cmp.Compare(a.packed>>conditionBits, b.packed>>conditionBits) })
	t := &Table{receivers: make([]uint64, 0, len(read))}
	for i, one := range read {
		if i > 0 && read[i-1].packed>>conditionBits == one.packed>>conditionBits {
			if before := read[i-1]; before.packed != one.packed {
				return nil, fmt.Errorf("line %d: the receiver of line %d has another condition here", one.line, before.line)
			}
			continue
		}
		t.receivers = append(t.receivers, one.packed)
	}
	return t, nil
}

// parseReceiver reads a line.
func parseReceiver(line string) (packed uint64, err error) {
	fields := strings.FieldsFunc(strings.ReplaceAll(line, " ", ""), func(r rune) bool { return r == ',' || r == ';' })
	if len(fields) != 3 || strings.Count(line, ",")+strings.Count(line, ";") != 2 {
		return 0, fmt.Errorf("%.40q is not DocTipo,DocNro,CondicionIVAReceptorId", line)
	}
	var numbers [3]int64
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return 0, fmt.Errorf("%.40q is no number", field)
		}
		numbers[i] = int64(n)
	}
	key, ok := keyOf(int32(min(numbers[0], 100)), numbers[1])
	switch {
	case numbers[0] > 99 || !wsfev1.IsDocTipo(int32(numbers[0])):
		return 0, fmt.Errorf("DocTipo %d is none of FEParamGetTiposDoc", numbers[0])
	case !ok:
		return 0, fmt.Errorf("DocNro %d has more than 11 digits", numbers[1])
	case numbers[2] > 255 || !wsfev1.IsCondicionIVAReceptor(int32(numbers[2])):
		return 0, fmt.Errorf("CondicionIVAReceptorId %d is none of FEParamGetCondicionIvaReceptor: %s", numbers[2], conditionsOf(""))
	}
	return key<<conditionBits | uint64(numbers[2]), nil
}

// conditionsOf lists the conditions that a class admits, all for no class.
func conditionsOf(class wsfev1.Class) string {
	var ids []string
	for _, row := range wsfev1.Tables().CondicionIvaReceptor {
		if class == "" || wsfev1.AdmitsCondicionIVAReceptor(class, row.Id) {
			ids = append(ids, strconv.Itoa(int(row.Id)))
		}
	}
	return strings.Join(ids, ", ")
}
