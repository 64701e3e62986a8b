"""Mandarin Chinese: jieba finds the words, pypinyin has their pinyin."""
