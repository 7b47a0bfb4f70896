// Checks what a Cutcard dealer publishes with golang.org/x/mod/sumdb, the code of Go's own
// checksum database: note for signed notes, tlog for tiles and proofs.
//
// It reads a list of questions as JSON from its input and writes a list of answers of the same
// length: an empty text where all holds, else what the package or this program found.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// A question names what is to be checked: "note", "inclusion", "consistency" or "folder".
type question struct {
	Check string

	// A note, or the checkpoint of a folder.
	VKey       string
	Note       string
	Origin     string
	Unverified []string // who else signed, as name+id

	// Proofs; all hashes are hex.
	Index, Old, Size       int64
	Leaf, OldRoot, NewRoot string
	Path                   []string

	Folder string
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	answers := []string{}
	for _, asked := range questions {
		answer := ""
		if err := asked.check(); err != nil {
			answer = err.Error()
		}
		answers = append(answers, answer)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func (q question) check() error {
	switch q.Check {
	case "note":
		_, err := q.checkpoint([]byte(q.Note))
		return err
	case "inclusion":
		return q.inclusion()
	case "consistency":
		return q.consistency()
	case "folder":
		return q.folder()
	}
	return fmt.Errorf("no check is named %q", q.Check)
}

// checkpoint opens a signed checkpoint and reads its three lines.
func (q question) checkpoint(signed []byte) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(q.VKey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	others := []string{}
	for _, sig := range opened.UnverifiedSigs {
		others = append(others, fmt.Sprintf("%s+%08x", sig.Name, sig.Hash))
	}
	if strings.Join(others, " ") != strings.Join(q.Unverified, " ") {
		return tlog.Tree{}, fmt.Errorf("others who signed are %v", others)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != q.Origin || lines[3] != "" {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s: %q", q.Origin, opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return tlog.Tree{}, err
	}
	return tlog.Tree{N: size, Hash: root}, nil
}

func (q question) inclusion() error {
	path, err := hashes(q.Path)
	if err != nil {
		return err
	}
	ends, err := hashes([]string{q.Leaf, q.NewRoot})
	if err != nil {
		return err
	}
	return tlog.CheckRecord(tlog.RecordProof(path), q.Size, ends[1], q.Index, ends[0])
}

func (q question) consistency() error {
	path, err := hashes(q.Path)
	if err != nil {
		return err
	}
	roots, err := hashes([]string{q.OldRoot, q.NewRoot})
	if err != nil {
		return err
	}
	return tlog.CheckTree(tlog.TreeProof(path), q.Size, roots[1], q.Old, roots[0])
}

// folder reads a whole published log in both directions: as a client, from the checkpoint's root
// down to the leaves, and as a log, from the lines up to every tile and the root.
func (q question) folder() error {
	signed, err := os.ReadFile(filepath.Join(q.Folder, "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := q.checkpoint(signed)
	if err != nil {
		return err
	}
	lines, err := bundles(q.Folder, tree.N)
	if err != nil {
		return err
	}
	if err := readDown(q.Folder, tree, lines); err != nil {
		return err
	}
	return buildUp(q.Folder, tree, lines)
}

// readDown asks the tiles for every leaf, and proves some of them.
func readDown(folder string, tree tlog.Tree, lines [][]byte) error {
	reader := tlog.TileHashReader(tree, tiles(folder))
	indexes := []int64{}
	for n := range lines {
		indexes = append(indexes, tlog.StoredHashIndex(0, int64(n)))
	}
	leaves, err := reader.ReadHashes(indexes)
	if err != nil {
		return err
	}
	for n, line := range lines {
		if tlog.RecordHash(line) != leaves[n] {
			return fmt.Errorf("line %d is not that of its leaf", n)
		}
	}
	for _, n := range []int64{0, tree.N / 2, tree.N - 1} {
		proof, err := tlog.ProveRecord(tree.N, n, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, n, leaves[n]); err != nil {
			return err
		}
	}
	return nil
}

// buildUp makes the root and every tile again. A tile that its reader took without holding it to
// the tile above, as some versions do, is found here.
func buildUp(folder string, tree tlog.Tree, lines [][]byte) error {
	stored := []tlog.Hash{}
	kept := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := []tlog.Hash{}
		for _, index := range indexes {
			found = append(found, stored[index])
		}
		return found, nil
	})
	for n, line := range lines {
		more, err := tlog.StoredHashes(int64(n), line, kept)
		if err != nil {
			return err
		}
		stored = append(stored, more...)
	}
	root, err := tlog.TreeHash(tree.N, kept)
	if err != nil {
		return err
	}
	if root != tree.Hash {
		return fmt.Errorf("the root of the lines is %v, and %v was signed", root, tree.Hash)
	}
	for level := 0; tree.N>>(height*level) > 0; level++ {
		for n, count := int64(0), tree.N>>(height*level); n<<height < count; n++ {
			tile := tlog.Tile{H: height, L: level, N: n, W: 1 << height}
			if count-n<<height < 1<<height {
				tile.W = int(count - n<<height)
			}
			made, err := tlog.ReadTileData(tile, kept)
			if err != nil {
				return err
			}
			read, err := tiles(folder).ReadTiles([]tlog.Tile{tile})
			if err != nil {
				return err
			}
			if !bytes.Equal(made, read[0]) {
				return fmt.Errorf("%s is not the tile of its lines", tile.Path())
			}
		}
	}
	return nil
}

// bundles reads all lines of a published log.
func bundles(folder string, size int64) ([][]byte, error) {
	lines := [][]byte{}
	for first := int64(0); first < size; first += 1 << height {
		tile := tlog.Tile{H: height, L: -1, N: first >> height, W: 1 << height}
		if size-first < 1<<height {
			tile.W = int(size - first)
		}
		path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return nil, err
		}
		rest := bytes.NewReader(data)
		for n := 0; n < tile.W; n++ {
			var length uint16
			if err := binary.Read(rest, binary.BigEndian, &length); err != nil {
				return nil, fmt.Errorf("%s: %v", path, err)
			}
			line := make([]byte, length)
			if n, err := rest.Read(line); n != int(length) {
				return nil, fmt.Errorf("%s: a line of %d bytes of %d: %v", path, n, length, err)
			}
			lines = append(lines, line)
		}
		if rest.Len() > 0 {
			return nil, fmt.Errorf("%s: %d bytes behind its lines", path, rest.Len())
		}
	}
	return lines, nil
}

// tiles is a folder as a source of tiles; C2SP's paths are Go's without the height.
type tiles string

func (t tiles) Height() int { return height }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	data := [][]byte{}
	for _, tile := range wanted {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		read, err := os.ReadFile(filepath.Join(string(t), path))
		if err != nil {
			return nil, err
		}
		data = append(data, read)
	}
	return data, nil
}

func hashes(texts []string) ([]tlog.Hash, error) {
	read := []tlog.Hash{}
	for _, text := range texts {
		data, err := hex.DecodeString(text)
		if err != nil {
			return nil, err
		}
		hash, err := tlog.ParseHash(base64.StdEncoding.EncodeToString(data))
		if err != nil {
			return nil, err
		}
		read = append(read, hash)
	}
	return read, nil
}
