package handle

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// MostPictures is how many pictures go with a message; each has mostPicture bytes at most, and is of one of the kinds, which all
// vendors take.
const (
	MostPictures = 4
	mostPicture  = 5 << 20
)

var kinds = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Picture is the picture that some bytes are; an error says why a model is not shown it.
func Picture(data []byte) (llm.Image, error) {
	kind := http.DetectContentType(data)
	switch {
	case len(data) > mostPicture:
		return llm.Image{}, fmt.Errorf("it is larger than %d MB", mostPicture>>20)
	case !slices.Contains(kinds, kind):
		return llm.Image{}, errors.New("it is not a PNG, JPEG, GIF or WebP picture")
	}
	return llm.Image{MIME: kind, Data: data}, nil
}

// Picture reads a picture of the project.
func (s Source) Picture(name string) (llm.Image, error) {
	f, err := folder.Open(s.Dir)
	if err != nil {
		return llm.Image{}, err
	}
	defer f.Close()
	data, err := f.Raw(name, mostPicture)
	if err != nil {
		return llm.Image{}, err
	}
	i, err := Picture(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return i, err
}
