"""Ask NVIDIA's text normalizer, in an environment of its own, which `make bench-normalizers` makes.

It reads a JSON list of English texts from its input and writes what they are in words as another.
"""

import json
import logging
import sys

from nemo_text_processing.text_normalization.normalize import Normalizer


def main():
    logging.disable(logging.INFO)
    normalizer = Normalizer(input_case="cased", lang="en")
    texts = json.load(sys.stdin)
    said = [normalizer.normalize(text, punct_post_process=True) for text in texts]
    # Its own messages go to the standard output as well; the answer is the last line.
    print(json.dumps(said))


if __name__ == "__main__":
    main()
