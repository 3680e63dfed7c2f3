"""The division of AHS_2019_Cleaned.csv behind Table 1 of Vashistha and Farahi (2025).

Writes ahs_split.bin: row numbers of the file from 0 as 16-bit integers, little-endian; the 12,165 test rows first, then the
36,495 training rows in the order in which they are used. Needs scikit-learn and numpy.
"""

import pathlib

import numpy as np
from sklearn.model_selection import train_test_split

train, test = train_test_split(np.arange(48_660), test_size=0.25, random_state=1090)
assert (len(test), len(train)) == (12_165, 36_495)
path = pathlib.Path(__file__).parent / "ahs_split.bin"
path.write_bytes(np.concatenate([test, train]).astype("<u2").tobytes())
