"""Mandarin Chinese: jieba finds the words, pypinyin and misaki say how they sound."""
