"""Mandarin G2P: jieba finds the words, pypinyin has their pinyin."""
