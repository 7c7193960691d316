"""The numbers of the words of the effect language, as tables hold them and kernels have them baked in.

Each stands for itself: no number follows from the place of a word in a list.
"""

from __future__ import annotations

import numpy as np

# Small numbers
ZERO = np.int64(0)
ONE = np.int64(1)
TWO = np.int64(2)
THREE = np.int64(3)
FOUR = np.int64(4)
NONE = np.int64(-1)

# Kinds of cards
ELESTRAL = np.int64(0)
INVOKE = np.int64(1)
COUNTER = np.int64(2)
ARTIFACT = np.int64(3)
DIVINE = np.int64(4)
STADIUM = np.int64(5)

# Sides of a filter
OWN = np.int64(0)
OPP = np.int64(1)
EITHER = np.int64(2)

# Zones, as bits
Z_FIELD = np.int64(1 << 0)
Z_HAND = np.int64(1 << 1)
Z_DECK = np.int64(1 << 2)
Z_UW = np.int64(1 << 3)
Z_SHOWN = np.int64(1 << 4)

# Marks of a filter, as bits
T_SET = np.int64(1 << 0)
T_UP = np.int64(1 << 1)
T_FRESH = np.int64(1 << 2)
T_SUPP = np.int64(1 << 3)
T_EMP = np.int64(1 << 4)
T_OTHER = np.int64(1 << 5)
T_MINSP = np.int64(1 << 6)
T_ATTACKING = np.int64(1 << 7)
T_ONSELF = np.int64(1 << 8)

# References
R_SELF = np.int64(0)
R_HOST = np.int64(1)
R_T = np.int64(2)
R_T1 = np.int64(3)
R_T2 = np.int64(4)
R_THAT = np.int64(5)
R_OTHER = np.int64(6)
R_KILLER = np.int64(7)
R_ATK = np.int64(8)
R_LINK = np.int64(9)
R_ATTACK = np.int64(10)
R_OVER = np.int64(11)
R_RECEIVER = np.int64(12)
R_IT = np.int64(13)

# Events
E_CAST = np.int64(0)
E_CAST_N = np.int64(1)
E_CAST_S = np.int64(2)
E_RECV = np.int64(3)
E_RECV_NEXUS = np.int64(4)
E_KILL = np.int64(5)
E_DIE_B = np.int64(6)
E_NEXUS = np.int64(7)
E_PLAY = np.int64(8)
E_ENTER = np.int64(9)
E_ATK = np.int64(10)
E_END = np.int64(11)
E_ASC_FROM = np.int64(12)
E_ASC_INTO = np.int64(13)
E_ASC_INTO_S = np.int64(14)
E_ALLY = np.int64(15)
E_FX_DIE = np.int64(16)
E_LINK = np.int64(17)
E_DIE = np.int64(18)
E_FORETELL = np.int64(19)
E_STATE = np.int64(20)
E_SUPP = np.int64(21)

# What is always true
S_STAT = np.int64(0)
S_SWAP = np.int64(1)
S_BASE = np.int64(2)
S_SHROUD = np.int64(3)
S_UNAFF = np.int64(4)
S_NOBOUNCE = np.int64(5)
S_NOPOS = np.int64(6)
S_ATKLOCK = np.int64(7)
S_PLAYLOCK = np.int64(8)
S_NODIE = np.int64(9)
S_RULE = np.int64(10)
S_TAX = np.int64(11)
S_FOREPLUS = np.int64(12)
S_REPLACE = np.int64(13)

# Special rules
RULE_DOUBLE = np.int64(0)
RULE_PIERCE = np.int64(1)
RULE_DIRECT = np.int64(2)
RULE_DEFATK = np.int64(3)

# Restrictions, as bits
NO_ENCHANT = np.int64(1 << 0)
NO_ATTACK = np.int64(1 << 1)
NO_NEXUS = np.int64(1 << 2)
NO_ASCEND = np.int64(1 << 3)
NO_POSITION = np.int64(1 << 4)

# Counters
C_ATT = np.int64(0)
C_CNT = np.int64(1)
C_HAVE = np.int64(2)
C_COST = np.int64(3)
C_SP = np.int64(4)
C_SPWAS = np.int64(5)
C_MOVED = np.int64(6)
C_FORETOLD = np.int64(7)
C_X = np.int64(8)
C_DRAWN = np.int64(9)
C_TAKEN = np.int64(10)
C_SPF = np.int64(11)
C_SD = np.int64(12)
C_ST = np.int64(13)
C_ATTACKED = np.int64(14)
C_BPKILLS = np.int64(15)
C_INPLAY = np.int64(16)
C_EMPBY = np.int64(17)
C_PHASE = np.int64(18)
C_POS = np.int64(19)

# What a counter looks at
SCOPE_REF = np.int64(0)
SCOPE_FILTER = np.int64(1)
SCOPE_SIDE = np.int64(2)

# Kinds of abilities
KIND_ON = np.int64(0)
KIND_ACT = np.int64(1)
KIND_STATIC = np.int64(2)
KIND_PLAY = np.int64(3)
KIND_ROUTE = np.int64(4)
KIND_FACE = np.int64(5)

# Windows
W_NONE = np.int64(0)
W_LINK = np.int64(1)
W_ATK = np.int64(2)
W_PLAY = np.int64(3)
W_DRAW = np.int64(4)
W_BATTLE = np.int64(5)

# How a subject is found
H_NONE = np.int64(0)
H_REF = np.int64(1)
H_PICK = np.int64(2)
H_ALL = np.int64(3)

# Costs
X_EXP = np.int64(0)
X_DIS = np.int64(1)
X_DISC = np.int64(2)
X_REVEAL = np.int64(3)

# Steps
O_DESTROY = np.int64(0)
O_BOUNCE = np.int64(1)
O_BOTDECK = np.int64(2)
O_FLIP = np.int64(3)
O_SETPOS = np.int64(4)
O_SUPPRESS = np.int64(5)
O_MOD = np.int64(6)
O_SWAPST = np.int64(7)
O_SETBASE = np.int64(8)
O_DESTROYIF = np.int64(9)
O_RESTRICT = np.int64(10)
O_PLAYLOCK = np.int64(11)
O_NEGATE = np.int64(12)
O_NEGATEFX = np.int64(13)
O_NODMG = np.int64(14)
O_STEAL = np.int64(15)
O_STEALRUNE = np.int64(16)
O_SETFROM = np.int64(17)
O_DRAW = np.int64(18)
O_DRAIN = np.int64(19)
O_MILL = np.int64(20)
O_DISCARD = np.int64(21)
O_PEEKDISC = np.int64(22)
O_PUTBACK = np.int64(23)
O_RESHUFFLE = np.int64(24)
O_SCRYTAKE = np.int64(25)
O_FORETELL = np.int64(26)
O_TUTOR = np.int64(27)
O_TOTOP = np.int64(28)
O_REGROW = np.int64(29)
O_RECOVER = np.int64(30)
O_ATTACH = np.int64(31)
O_NEXUS = np.int64(32)
O_NEXUSALL = np.int64(33)
O_SPCAST = np.int64(34)
O_NCAST = np.int64(35)
O_SPASC = np.int64(36)
O_CASTRUNE = np.int64(37)
O_CASTAS = np.int64(38)
O_CHOOSE = np.int64(39)
O_OPPCHOOSE = np.int64(40)
O_DELAY = np.int64(41)

# Stores of Spirits, as bits
FROM_DECK = np.int64(1 << 0)
FROM_UNDERWORLD = np.int64(1 << 1)

# Durations
U_TURN = np.int64(0)
U_YOURS = np.int64(1)
U_OTHERS_END = np.int64(2)
U_SOURCE = np.int64(3)
U_EVER = np.int64(4)

# What an effect is going to do, as bits
TAG_SEARCH = np.int64(1 << 0)
TAG_CASTDECK = np.int64(1 << 1)
TAG_DRAW = np.int64(1 << 2)
TAG_DRAIN = np.int64(1 << 3)
TAG_RECOVER = np.int64(1 << 4)
TAG_DISCARDOPP = np.int64(1 << 5)

# Comparisons
LIKE = np.int64(0)
UNLIKE = np.int64(1)
AT_LEAST = np.int64(2)
AT_MOST = np.int64(3)
BELOW = np.int64(4)
ABOVE = np.int64(5)

# Where an ability works
AT_FIELD = np.int64(0)
AT_UNDERWORLD = np.int64(1)
AT_HAND = np.int64(2)
